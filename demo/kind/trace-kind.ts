// Traces as the inspector shows them: what an agent did, newest first.
import { type FilterFields, order, orderField } from './filter-field.ts'
import type { CapabilityInput, Trace } from '../../src/index.ts'
import { oneLine, valueLine } from '../wording/text-word.ts'
import type { MarkName } from './mark.ts'
import type { RecordKind } from './record-kind.ts'

const fields = {
  domain: { type: 'text', name: 'Domain', path: 'situation.domain' },
  actor: { type: 'text', name: 'Actor', path: 'situation.actor' },
  action: { type: 'text', name: 'Action', path: 'action.type' },
  outcome: {
    type: 'choice',
    name: 'Outcome',
    choices: [
      { value: 'succeeded', word: 'succeeded', filters: { 'result.success': true } },
      { value: 'failed', word: 'failed', filters: { 'result.success': false } },
      { value: 'open', word: 'no result yet', filters: { result: { exists: false } } },
    ],
  },
  mode: {
    type: 'choice',
    name: 'Mode',
    choices: ['interactive', 'autonomous', 'background'].map((mode) => ({
      value: mode,
      word: mode,
      filters: { 'metadata.mode': mode },
    })),
  },
  tag: { type: 'text', name: 'Tag', path: 'metadata.tags', isList: true },
  session: { type: 'text', name: 'Session', path: 'session' },
  time: { type: 'time', name: 'Time', path: 'timestamp' },
  order: orderField(
    'timestamp',
    order('domain', 'by domain', 'situation.domain'),
    order('action', 'by action', 'action.type'),
    order('session', 'by session', 'session'),
  ),
} satisfies FilterFields

export type TraceField = keyof typeof fields

export function outcomeOf(trace: Pick<Trace, 'result'>): MarkName {
  if (!trace.result) return 'open'
  return trace.result.success ? 'succeeded' : 'failed'
}

export const traceKind: RecordKind<Trace> = {
  view: 'traces',
  fails: true,
  name: 'trace',
  one: 'trace',
  many: 'traces',
  order: 'newest first',
  fields,
  timePath: 'timestamp',
  glance: 'Open a trace to see its situation, task, action and result.',
  searched:
    'Search looks at goals, actions, parameters, outcomes, context, actors, tags and dates, and finds word forms: “evaluate” finds “evaluation”.',
  cites: [{ path: 'metadata.linked_traces', to: 'Links to', from: 'Linked from' }],
  replace: (book, id, content) =>
    book.traces.store({ ...content, id, replace: true } as CapabilityInput<'kstar:store_trace'>),
  row(trace) {
    const [first] = Object.values(trace.action.parameters)
    const action = oneLine(trace.action.type, 60)
    const domain = oneLine(trace.situation.domain, 60)
    const error = traceError(trace)
    return {
      id: trace.id,
      at: trace.timestamp,
      mark: outcomeOf(trace),
      title: oneLine(trace.task.goal, 240) || '(no goal)',
      lead: action,
      rest: error ?? withoutLead(action, first === undefined ? '' : valueLine(first, 120)),
      aside: domain,
      seen: {
        domain: [domain],
        actor: [oneLine(trace.situation.actor ?? '', 60)],
        action: [action],
        session: [trace.session ?? ''],
        tag: trace.metadata.tags.slice(0, 4).map((tag) => oneLine(tag, 30)),
      },
    }
  },
}

const errorFields = ['error', 'message', 'observation', 'output', 'text'] as const

/** Why a trace failed, in one line: the row says it before the parameters. */
export function traceError({ result }: Trace): string | undefined {
  if (result?.success !== false) return undefined
  const texts = errorFields.map((name) => result.outcome[name])
  const text = texts.find((one) => typeof one === 'string' && one.trim() !== '')
  return typeof text === 'string' ? oneLine(text, 160) : undefined
}

/** `open_door: cellar`; a command that begins with its own name is not repeated: `rm reproduce.py`. */
function withoutLead(action: string, detail: string): string {
  const isRepeated = detail === action || detail.startsWith(`${action} `)
  return isRepeated ? detail.slice(action.length).trim() : detail
}
