// How many requests for access may wait, and come within an hour: of one agent with all of its delegates, and in the book.
import { isDelegateOf } from '../../../core/access/delegate-name.ts'
import { countedAs } from '../../../core/capability/caller.ts'
import type { TaskContext } from '../../../core/capability/context.ts'
import { DaybookError } from '../../../core/errors.ts'
import { formatTime, parseTime } from '../../../core/time.ts'

/** Undecided requests of one agent, and of the book; and requests of an agent within an hour. */
export const requestLimits = { ofAgent: 20, ofBook: 200, hourly: 30 } as const
const hourMs = 3_600_000

/** Throws `rate-limited` where one more request of `agent` is too many. */
export function checkLimits(agent: string, { call: { now, caller }, consent }: TaskContext<'consent'>): void {
  const page = (filters: object, limit: number) =>
    consent.records.query({ kind: 'access_request', filters, limit }).records
  const counted = countedAs(caller, agent)
  const isCounted = (one: object) => {
    const by: unknown = (one as { readonly asked_by?: unknown }).asked_by
    return by === counted || (typeof by === 'string' && isDelegateOf(by, counted))
  }
  const pending = { status: 'pending', expires_at: { gt: now } }
  const { ofAgent, ofBook, hourly } = requestLimits
  const waiting = page(pending, ofBook)
  const recent = page({ asked_at: { gt: formatTime((parseTime(now) ?? 0) - hourMs) } }, 1000)
  const isFull =
    waiting.filter(isCounted).length >= ofAgent ||
    waiting.length >= ofBook ||
    recent.filter(isCounted).length >= hourly
  if (isFull)
    throw new DaybookError('rate-limited', 'Too many requests wait for a decision.', {
      details: { path: 'scopes', retryAfterMs: hourMs },
    })
}
