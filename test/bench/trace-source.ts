// Traces of about 1 KB, all different, the same for every store.
import type { BenchTrace } from './peer.ts'
import { createTextSource } from './text-source.ts'

const areas = ['education', 'support', 'sales', 'coding', 'research', 'health', 'travel', 'finance']
const subjects = ['evaluation', 'planning', 'dialogue']
/** 24 domains and 16 action types: about what a filter tells apart in a real book. */
export const domains = areas.flatMap((area) => subjects.map((subject) => `${area}.${subject}`))
const verbs = ['read', 'write', 'search', 'compare', 'answer', 'schedule', 'summarise', 'review']
const actions = verbs.flatMap((verb) => [`${verb}_document`, `${verb}_message`])
const tools = ['browser', 'calendar', 'shell', 'editor', 'mail', 'spreadsheet', 'retriever']

const start = Date.UTC(2026, 0, 1)

/** A function that makes the next trace; `seed` decides all of them. */
export function createTraceSource(seed: number): () => BenchTrace {
  const { random, pick, between, words } = createTextSource(seed)
  let at = start
  return () => {
    at += between(500, 90_000)
    const domain = pick(domains)
    return {
      timestamp: new Date(at).toISOString(),
      situation: {
        domain,
        actor: `user:${pick(areas)}-${between(1, 400)}`,
        channel: pick(['web', 'mail', 'chat', 'voice']),
        context: { locale: pick(['en', 'de', 'fr']), note: words(between(12, 24)), step: between(1, 40) },
      },
      task: { goal: words(between(8, 16)), constraints: [words(between(3, 8))] },
      action: {
        type: pick(actions),
        parameters: {
          target: `${domain}/${between(1, 99_999)}`,
          query: words(between(6, 14)),
          dryRun: random() < 0.2,
        },
        tools_used: [pick(tools), pick(tools)],
      },
      result: {
        success: random() < 0.85,
        outcome: { summary: words(between(16, 36)), score: between(0, 100) },
        side_effects: [],
      },
      metadata: { mode: 'autonomous', tags: [words(1), words(1)], linked_traces: [] },
    }
  }
}

/** Ids in the order of time, as UUIDv7 has them: kind to every B-tree. */
export function createIdSource(): () => string {
  let n = 0
  return () => {
    const hex = (n++).toString(16).padStart(16, '0')
    return `01998a00-${hex.slice(0, 4)}-7${hex.slice(4, 7)}-8${hex.slice(7, 10)}-${hex.slice(10)}${'5eedbe'}`
  }
}
