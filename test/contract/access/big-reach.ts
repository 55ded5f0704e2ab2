// A guest with the biggest reach that there is, and what it reads: for hosts whose SQLite takes short programs alone.
import { patternLimit } from '../../../src/core/access/reach.ts'

/** Patterns of every sort, so that each way to compare a name is in the question. */
const patterns = (name: string, count: number) =>
  Array.from({ length: count }, (_, i) => {
    const each = [`*:${name}${i}.*.**`, `trace:${name}${i}`, `${name}:*.${i}`, `agent:${name}${i}`]
    return [...each, `fact:${name}${i}.**`][i % 5] ?? ''
  })

export const bigReach = {
  scope: 'trace:**',
  allow: patterns('seen', patternLimit - 1),
  deny: patterns('hidden', patternLimit),
}

/** Policies that name as many categories as they may. */
export const bigPolicies = Array.from({ length: 20 }, (_, i) => ({
  forAgents: 'sensor',
  allow: Array.from({ length: 10 }, (_one, n) => `a2p:preferences.food${i}_${n}`),
  deny: Array.from({ length: 10 }, (_one, n) =>
    n === 0 ? `a2p:*.hidden${i}` : `a2p:context.hidden${i}_${n}`,
  ),
  permissions: ['read_full'],
}))

export const everyRead: readonly (readonly [verb: string, input: object])[] = [
  ['kstar:query_traces', {}],
  ['kstar:query_memory', { kind: 'trace' }],
  ['kstar:search_traces', { query: 'pepper' }],
  ['kstar:search_memory', { query: 'pepper' }],
  ['kstar:count_memory', { kind: 'trace' }],
  ['kstar:count_memory', { kind: 'fact', by: 'none' }],
  ['kstar:count_traces', {}],
  ['kstar:get_stats', {}],
  ['kstar:get_record', { id: 'seen' }],
  ['kstar:history', { id: 'seen' }],
  ['kstar:citing', { id: 'seen' }],
  ['kstar:query_facts', {}],
  ['kstar:query_perceptions', {}],
  ['kstar:query_skills', {}],
  ['kstar:list_schemas', {}],
  ['runs:list', {}],
  ['mark:list', {}],
  ['daybook:recall', { text: 'pepper' }],
  ['daybook:recall', { text: 'pepper', at: '2030-01-01' }],
  ['recall:context', { text: 'pepper' }],
  ['recall:explain', { text: 'pepper', id: 'seen' }],
  ['ks:recall', { query: 'pepper' }],
  ['ks:list_messages', {}],
  ['ks:list_episodes', {}],
  ['ks:get_profile', {}],
  ['katra:list_personas', {}],
  ['document:list', {}],
  ['checkpoint:list', {}],
  ['inbox:list', {}],
]
