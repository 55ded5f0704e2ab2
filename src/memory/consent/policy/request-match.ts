// What of the scopes that somebody asks for the policies of a book grant.
import type { Governed } from '../../../core/access/governed.ts'
import { coversScope, type ScopePattern } from '../../../core/access/scope.ts'
import { scopePatterns } from './memory-scope.ts'
import type { Policy } from './decide.ts'

export interface MatchedScopes {
  /** Asked for and granted; where more was asked for than there is, what there is of it. */
  readonly granted: readonly string[]
  /** Asked for and not granted, and what is denied of what was granted. */
  readonly denied: readonly string[]
  /** True when what was asked for is denied by policies, so that no person can grant it. */
  readonly isShut: boolean
}

/** `policies` are those that allow something to the agent now, `all` those that match it. */
export function matchScopes(
  asked: readonly string[],
  governed: Pick<Governed, 'deny'>,
  { policies, all }: { readonly policies: readonly Policy[]; readonly all: readonly Policy[] },
): MatchedScopes {
  const allowed = policies.flatMap(({ allow }) => allow)
  const denied = all.flatMap(({ deny }) => deny)
  const granted = new Set<string>()
  const refused = new Set<string>()
  let shut = 0
  for (const scope of asked) {
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
  const isShut = shut === asked.length
  return { granted: [...granted], denied: [...refused].filter((one) => !granted.has(one)), isShut }
}

const isCovered = (scope: string, patterns: readonly ScopePattern[]) =>
  scopePatterns(scope).every((one) => patterns.some((wide) => coversScope(wide, one)))

const isWithin = (scope: string, scopes: readonly string[]) => isCovered(scope, scopes.flatMap(scopePatterns))

/** True when all that `narrow` stands for is in `wide`. */
export const covers = (wide: string, narrow: string): boolean => isCovered(narrow, scopePatterns(wide))
