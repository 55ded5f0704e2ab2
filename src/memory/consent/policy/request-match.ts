// Matches requested scopes with the policies of a book, and limits the number of requests.
import type { Governed } from '../../../core/access/governed.ts'
import { coversScope, type ScopePattern } from '../../../core/access/scope.ts'
import { scopePatterns } from './memory-scope.ts'
import type { Policy } from './policy-decision.ts'
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
  readonly isFullyDenied: boolean
}

/**
 * Matches `requested` with one decision. `governed`: its rules and denials. `allowing`: policies that allow
 * the agent something now. `matching`: policies that match the agent, with those of unmet conditions; their
 * denials apply too.
 */
export function matchScopes(
  requested: readonly string[],
  governed: Pick<Governed, 'deny'>,
  { allowing, matching }: { readonly allowing: readonly Policy[]; readonly matching: readonly Policy[] },
): MatchedScopes {
  const allowed = allowing.flatMap(({ allow }) => allow)
  const denied = matching.flatMap(({ deny }) => deny)
  const granted = new Set<string>()
  const deniedScopes = new Set<string>()
  let fullyDenied = 0
  for (const scope of requested) {
    if (isCovered(scope, governed.deny)) {
      deniedScopes.add(scope)
      fullyDenied += 1
      continue
    }
    const allowedScopes = isWithin(scope, allowed)
      ? [scope]
      : allowed.filter((allowedScope) => coversScopeText(scope, allowedScope))
    const grantable = allowedScopes.filter((allowedScope) => !isCovered(allowedScope, governed.deny))
    for (const grantedScope of grantable) granted.add(grantedScope)
    if (grantable.length === 0) deniedScopes.add(scope)
    for (const deniedScope of denied)
      if (grantable.some((wide) => coversScopeText(wide, deniedScope))) deniedScopes.add(deniedScope)
  }
  return {
    granted: [...granted],
    denied: [...deniedScopes].filter((scope) => !granted.has(scope)),
    isFullyDenied: fullyDenied === requested.length,
  }
}

/** True if `patterns` include everything in `scope`. */
const isCovered = (scope: string, patterns: readonly ScopePattern[]) =>
  scopePatterns(scope).every((pattern) => patterns.some((wide) => coversScope(wide, pattern)))

const isWithin = (scope: string, scopes: readonly string[]) => isCovered(scope, scopes.flatMap(scopePatterns))

/** True if `wide` includes everything in `narrow`. */
export const coversScopeText = (wide: string, narrow: string): boolean =>
  isCovered(narrow, scopePatterns(wide))

/** Most pending requests of one agent and of the book, and most requests of one agent within an hour. */
const requestLimits = { ofAgent: 20, ofBook: 200, hourly: 30 } as const
const hourMs = 3_600_000

/**
 * Throws `rate-limited` if one more request of `agent` exceeds a limit. An agent and its delegates count
 * together.
 */
export function assertRequestLimits(
  agent: string,
  { call: { now, caller }, consent }: TaskContext<'consent'>,
): void {
  const queryRequests = (filters: object, limit: number) =>
    consent.records.query({ kind: 'access_request', filters, limit }).records
  const countedAgent = countedAs(caller, agent)
  const isCounted = (record: object) => {
    const requestedBy: unknown = (record as { readonly requestedBy?: unknown }).requestedBy
    return (
      requestedBy === countedAgent ||
      (typeof requestedBy === 'string' && isDelegateOf(requestedBy, countedAgent))
    )
  }
  const pending = { status: 'pending', expiresAt: { gt: now } }
  const { ofAgent, ofBook, hourly } = requestLimits
  const pendingRequests = queryRequests(pending, ofBook)
  const recentRequests = queryRequests(
    { requestedAt: { gt: formatTime((parseTime(now) ?? 0) - hourMs) } },
    1000,
  )
  const isOverLimit =
    pendingRequests.filter(isCounted).length >= ofAgent ||
    pendingRequests.length >= ofBook ||
    recentRequests.filter(isCounted).length >= hourly
  if (isOverLimit)
    throw new DaybookError(
      'rate-limited',
      'Too many requests wait for a decision: there is room once one is decided or expires.',
      {
        details: { path: 'scopes', retryAfterMs: hourMs },
      },
    )
}
