// A trace as a line of the list: little enough that thousands of them weigh nothing.
import type { Trace } from '../../src/index.ts'
import { oneLine, valueLine } from '../wording/text-word.ts'

export type Outcome = 'succeeded' | 'failed' | 'open'

export interface TraceRow {
  readonly id: string
  readonly at: string
  readonly goal: string
  readonly action: string
  /** The first thing the action was given; a command line says its action itself. */
  readonly detail: string
  readonly domain: string
  readonly actor: string
  readonly session: string
  readonly outcome: Outcome
  readonly tags: readonly string[]
}

export function outcomeOf(trace: Pick<Trace, 'result'>): Outcome {
  if (!trace.result) return 'open'
  return trace.result.success ? 'succeeded' : 'failed'
}

export function traceRow(trace: Trace): TraceRow {
  const [first] = Object.values(trace.action.parameters)
  return {
    id: trace.id,
    at: trace.timestamp,
    goal: oneLine(trace.task.goal, 240) || '(no goal)',
    action: oneLine(trace.action.type, 60),
    detail: first === undefined ? '' : valueLine(first, 120),
    domain: oneLine(trace.situation.domain, 60),
    actor: oneLine(trace.situation.actor ?? '', 60),
    session: trace.session ?? '',
    outcome: outcomeOf(trace),
    tags: trace.metadata.tags.slice(0, 4).map((tag) => oneLine(tag, 30)),
  }
}
