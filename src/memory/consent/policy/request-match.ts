// Matches requested scopes with the policies of a book, and limits the number of requests.
import type { Governed } from '../../../core/access/governed.ts'
import { coversScope, type ScopePattern } from '../../../core/access/scope.ts'
import { scopePatterns } from './memory-scope.ts'
import type { Policy } from './decide.ts'
import { isDelegateOf } from '../../../core/access/grant.ts'
import { countedAs } from '../../../core/capability/caller.ts'
import type { TaskContext } from '../../../core/capability/context.ts'
import { DaybookError } from '../../../core/errors.ts'
import { formatTime, parseTime } from '../../../core/time.ts'

export interface MatchedScopes {
  /** Requested scopes that are granted; of a scope that is only partly allowed, the allowed parts. */
  readonly granted: readonly string[]
  /** Requested scopes that are not granted, and denied parts of granted scopes. */
  readonly denied: readonly string[]
  /** True if policies deny all requested scopes: no person can grant them. */
  readonly isShut: boolean
}

/** `policies`: those that allow the agent something now. `all`: those that match the agent. */
export function matchScopes(
  requested: readonly string[],
  governed: Pick<Governed, 'deny'>,
  { policies, all }: { readonly policies: readonly Policy[]; readonly all: readonly Policy[] },
): MatchedScopes {
  const allowed = policies.flatMap(({ allow }) => allow)
  const denied = all.flatMap(({ deny }) => deny)
  const granted = new Set<string>()
  const refused = new Set<string>()
  let shut = 0
  for (const scope of requested) {
    if (isCovered(scope, governed.deny)) {
      refused.add(scope)
      shut += 1
      continue
    }
    const within = isWithin(scope, allowed) ? [scope] : allowed.filter((one) => covers(scope, one))
    const open = within.filter((one) => !isCovered(one, governed.deny))
    for (const one of open) granted.add(one)
    if (open.length === 0) refused.add(scope)
    for (const one of denied) if (open.some((wide) => covers(wide, one))) refused.add(one)
  }
  const isShut = shut === requested.length
  return { granted: [...granted], denied: [...refused].filter((one) => !granted.has(one)), isShut }
}

const isCovered = (scope: string, patterns: readonly ScopePattern[]) =>
  scopePatterns(scope).every((one) => patterns.some((wide) => coversScope(wide, one)))

const isWithin = (scope: string, scopes: readonly string[]) => isCovered(scope, scopes.flatMap(scopePatterns))

/** True if `wide` includes everything in `narrow`. */
export const covers = (wide: string, narrow: string): boolean => isCovered(narrow, scopePatterns(wide))

/** Most pending requests of one agent and of the book, and most requests of one agent within an hour. */
const requestLimits = { ofAgent: 20, ofBook: 200, hourly: 30 } as const
const hourMs = 3_600_000

/** Throws `rate-limited` if one more request of `agent` exceeds a limit. */
export function checkLimits(agent: string, { call: { now, caller }, consent }: TaskContext<'consent'>): void {
  const page = (filters: object, limit: number) =>
    consent.records.query({ kind: 'access_request', filters, limit }).records
  const counted = countedAs(caller, agent)
  const isCounted = (one: object) => {
    const by: unknown = (one as { readonly requestedBy?: unknown }).requestedBy
    return by === counted || (typeof by === 'string' && isDelegateOf(by, counted))
  }
  const pending = { status: 'pending', expiresAt: { gt: now } }
  const { ofAgent, ofBook, hourly } = requestLimits
  const waiting = page(pending, ofBook)
  const recent = page({ requestedAt: { gt: formatTime((parseTime(now) ?? 0) - hourMs) } }, 1000)
  const isFull =
    waiting.filter(isCounted).length >= ofAgent ||
    waiting.length >= ofBook ||
    recent.filter(isCounted).length >= hourly
  if (isFull)
    throw new DaybookError('rate-limited', 'Too many requests wait for a decision.', {
      details: { path: 'scopes', retryAfterMs: hourMs },
    })
}
