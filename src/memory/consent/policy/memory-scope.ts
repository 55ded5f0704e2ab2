// Scopes in policies, requests and receipts: a category (`a2p:preferences`), a type (`a2p:semantic`), both
// (`a2p:semantic.preferences`) or another namespace (`ext:spotify`), each with everything below it. Permission
// levels, in ascending order: each includes those below it. A named reading level limits reading, so that a
// permission to propose doesn't extend it.
import { z } from 'zod'
import { parseNames, type ScopePattern } from '../../../core/access/scope.ts'
import {
  type GovernedRule,
  type PermissionLevel,
  namesCategory,
  permissionLevels,
} from '../../../core/access/governed.ts'
import type { Sensitivity } from '../../../core/sealed.ts'

/** Words that name a type at the start of a scope. `a2p:episodic` is also the category of that name. */
const memoryTypes: ReadonlySet<string> = new Set(['episodic', 'semantic', 'procedural'])

/** Most characters of a scope, and most scopes of a list. */
export const memoryScopeLimits = { length: 200, count: 100 } as const

const wordPattern = '(?:[A-Za-z0-9_-]+|\\*)'
const scopePattern = new RegExp(`^(?:a2p|ext:${wordPattern}|ext)(?::${wordPattern}(?:\\.${wordPattern})*)$`)

/** Removes a final `*`: a scope covers everything below it anyway. */
const withoutTrailingStar = (text: string) => text.replace(/(?:[:.]\*)+$/, '')

/**
 * Patterns of a scope; empty for an invalid scope. `a2p:preferences` becomes `a2p:preferences.**`, which also
 * includes `a2p:preferences` itself.
 */
export function scopePatterns(text: string): ScopePattern[] {
  if (text.length > memoryScopeLimits.length || !scopePattern.test(text)) return []
  const base = withoutTrailingStar(text)
  // Separators before the next word: a name in an `ext:` namespace has one more colon.
  const separators = base === 'a2p' ? [':**'] : isNamespace(base) ? [':**', '.**'] : ['.**']
  return separators.flatMap((end) => parseNames(base + end) ?? [])
}

const isNamespace = (base: string) => /^ext(?::[^:.]+)?$/.test(base)

/** Patterns of several scopes. */
export function patternsOf(scopes: readonly string[]): ScopePattern[] {
  return scopes.flatMap(scopePatterns)
}

export const memoryScope = z
  .string()
  .max(memoryScopeLimits.length)
  .refine(
    (text) => scopePatterns(text).length > 0,
    'is not a scope of memories, such as `a2p:preferences`, `a2p:semantic.professional` or `ext:spotify`',
  )

export const memoryScopes = z.array(memoryScope).max(memoryScopeLimits.count)

const rank = (level: PermissionLevel): number => permissionLevels.indexOf(level)
const isReadLevel = (level: PermissionLevel) => level.startsWith('read_')

/** The highest of several levels; `none` for an empty list. */
export function highestLevel(levels: readonly PermissionLevel[]): PermissionLevel {
  return levels.reduce((highest, level) => (rank(level) > rank(highest) ? level : highest), 'none')
}

/** True if the highest of `levels` is `minLevel` or above it. */
function hasLevel(levels: readonly PermissionLevel[], minLevel: PermissionLevel): boolean {
  return rank(highestLevel(levels)) >= rank(minLevel)
}

/** The highest reading level in `levels`; without one, `read_full` if a higher level includes it, else `none`. */
function readingLevel(levels: readonly PermissionLevel[]): PermissionLevel {
  const readLevels = levels.filter(isReadLevel)
  if (readLevels.length > 0) return highestLevel(readLevels)
  return hasLevel(levels, 'read_full') ? 'read_full' : 'none'
}

/**
 * Rules for reading within `allow`. `read_public`: public memories. `read_scoped`: memories up to `standard`.
 * `read_full`: memories up to `sensitive`, and restricted ones if a scope names their exact category. `place`: priority
 * value of the policy (see `GovernedRule`).
 */
export function readingRules(
  levels: readonly PermissionLevel[],
  allow: readonly ScopePattern[],
  place: number,
): GovernedRule[] {
  const rule = (patterns: readonly ScopePattern[], upTo: Sensitivity): GovernedRule[] =>
    patterns.length > 0 ? [{ place, allow: patterns, upTo }] : []
  switch (readingLevel(levels)) {
    case 'read_public':
      return rule(allow, 'public')
    case 'read_scoped':
      return rule(allow, 'standard')
    case 'read_full': {
      const categoryPatterns = allow.filter((pattern) => namesCategory(pattern, memoryTypes))
      const otherPatterns = allow.filter((pattern) => !namesCategory(pattern, memoryTypes))
      return [...rule(categoryPatterns, 'restricted'), ...rule(otherPatterns, 'sensitive')]
    }
    default:
      return []
  }
}
