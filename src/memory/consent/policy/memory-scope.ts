// Scopes in policies, requests and receipts: a category (`a2p:preferences`), a type (`a2p:semantic`), both
// (`a2p:semantic.preferences`) or another namespace (`ext:spotify`), each with everything below it. And permission
// levels, in ascending order: each includes those below it, but a named reading level limits reading, so that a
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

/** First word of a scope that names a type. `a2p:episodic` is a category of that name, too. */
const memoryTypes: ReadonlySet<string> = new Set(['episodic', 'semantic', 'procedural'])

export const memoryScopeLimits = { length: 200, count: 100 } as const

const word = '(?:[A-Za-z0-9_-]+|\\*)'
const shape = new RegExp(`^(?:a2p|ext:${word}|ext)(?::${word}(?:\\.${word})*)$`)

/** A scope covers everything below it, so a final `*` is redundant. */
const trimmed = (text: string) => text.replace(/(?:[:.]\*)+$/, '')

/** Patterns of a scope; empty for an invalid one. */
export function scopePatterns(text: string): ScopePattern[] {
  if (text.length > memoryScopeLimits.length || !shape.test(text)) return []
  const base = trimmed(text)
  // Separators of the words below: a name in another namespace has one colon more.
  const ends = base === 'a2p' ? [':**'] : isNamespace(base) ? [':**', '.**'] : ['.**']
  return ends.flatMap((end) => parseNames(base + end) ?? [])
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
const isReading = (level: PermissionLevel) => level.startsWith('read_')

/** The highest of several levels; `none` without any. */
export function highestLevel(levels: readonly PermissionLevel[]): PermissionLevel {
  return levels.reduce((most, one) => (rank(one) > rank(most) ? one : most), 'none')
}

/** True if `levels` include `wanted`. */
function hasLevel(levels: readonly PermissionLevel[], wanted: PermissionLevel): boolean {
  return rank(highestLevel(levels)) >= rank(wanted)
}

/** The highest named reading level, else the reading level that the highest level includes. */
function readingLevel(levels: readonly PermissionLevel[]): PermissionLevel {
  const named = levels.filter(isReading)
  if (named.length > 0) return highestLevel(named)
  return hasLevel(levels, 'read_full') ? 'read_full' : 'none'
}

/**
 * Rules for reading within `allow`: public memories; those up to standard; or all but restricted ones. A restricted
 * memory only if a scope names its exact category.
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
      const named = allow.filter((one) => namesCategory(one, memoryTypes))
      const others = allow.filter((one) => !namesCategory(one, memoryTypes))
      return [...rule(named, 'restricted'), ...rule(others, 'sensitive')]
    }
    default:
      return []
  }
}
