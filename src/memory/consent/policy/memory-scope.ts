// Scopes as policies, requests and receipts spell them: a category (`a2p:preferences`), a type (`a2p:semantic`), both
// (`a2p:semantic.preferences`) or another namespace (`ext:spotify`), each with all that lies below it.
import { z } from 'zod'
import { parseNames, type ScopePattern } from '../../../core/access/scope.ts'

/** The first word of a scope that says a type. `a2p:episodic` is a category of that name, too. */
export const memoryTypes: ReadonlySet<string> = new Set(['episodic', 'semantic', 'procedural'])

export const memoryScopeLimits = { length: 200, count: 100 } as const

const word = '(?:[A-Za-z0-9_-]+|\\*)'
const shape = new RegExp(`^(?:a2p|ext:${word}|ext)(?::${word}(?:\\.${word})*)$`)

/** `*` at the end is said by the scope itself. */
const trimmed = (text: string) => text.replace(/(?:[:.]\*)+$/, '')

/** What a scope stands for; empty for what is none. */
export function scopePatterns(text: string): ScopePattern[] {
  if (text.length > memoryScopeLimits.length || !shape.test(text)) return []
  const base = trimmed(text)
  // What parts off the words below: a name of another namespace has one colon more.
  const ends = base === 'a2p' ? [':**'] : isNamespace(base) ? [':**', '.**'] : ['.**']
  return ends.flatMap((end) => parseNames(base + end) ?? [])
}

const isNamespace = (base: string) => /^ext(?::[^:.]+)?$/.test(base)

/** All that several scopes stand for. */
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
