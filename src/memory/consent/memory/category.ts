// Categories and types of memories: their syntax, default sensitivity, and names in scopes. A type says how a memory
// is used, a category its subject; `a2p:episodic` can name either.
import { foldScopeName } from '../../../core/access/scope.ts'
import type { JsonObject } from '../../../core/json/path.ts'
import { isLowered, type Sensitivity } from '../../../core/sealed.ts'

export const memoryTypes = ['episodic', 'semantic', 'procedural'] as const
export type MemoryType = (typeof memoryTypes)[number]

/** Name of a type in scopes, and of its list in the profile document: `a2p:episodic`. */
export const typeScope = (type: MemoryType): string => `a2p:${type}`

const typePattern = new RegExp(`^a2p:(${memoryTypes.join('|')})(?:\\.(.+))?$`)

/** The type that a scope without its `*` names, and the category in it: `a2p:semantic.preferences`. */
export function typeInScope(stem: string): {
  readonly type?: string | undefined
  readonly rest?: string | undefined
} {
  const [, type, rest] = typePattern.exec(stem) ?? []
  return { type, rest }
}

/** Syntax of a category, such as `a2p:preferences.communication` or `ext:spotify:music.preferences`. */
const categoryPattern =
  /^(?:a2p:[A-Za-z0-9_]+(?:\.[A-Za-z0-9_]+)*|ext:[A-Za-z0-9_-]+(?::[A-Za-z0-9_]+)?(?:\.[A-Za-z0-9_]+)*)$/
export const maxCategoryLength = 128

export function isCategory(text: string): boolean {
  return text.length <= maxCategoryLength && categoryPattern.test(text)
}

/** Default sensitivity by the first segment after `a2p:`; every other category is `standard`. */
const sensitivityBySegment: Readonly<Record<string, Sensitivity>> = {
  health: 'restricted',
  financial: 'restricted',
  relationships: 'sensitive',
}

const firstSegment = (category: string) => /^a2p:([a-z0-9_]+)/.exec(category.toLowerCase())?.[1] ?? ''

/** Default sensitivity of a memory of `category`. */
export function defaultSensitivity(category: string): Sensitivity {
  const segment = firstSegment(category)
  return Object.hasOwn(sensitivityBySegment, segment)
    ? (sensitivityBySegment[segment] ?? 'standard')
    : 'standard'
}

/** Default sensitivity of an undecided memory or proposal from another book. */
export function undecidedSensitivity({ status, category }: JsonObject): Sensitivity | undefined {
  return status === 'pending' && typeof category === 'string' ? defaultSensitivity(category) : undefined
}

/**
 * Returns the higher of `requested` and the default of `category`: a proposer may raise the default, never lower it.
 */
export function raisedSensitivity(category: string, requested: Sensitivity | undefined): Sensitivity {
  const defaultLevel = defaultSensitivity(category)
  return requested === undefined || isLowered(requested, defaultLevel) ? defaultLevel : requested
}

/** Names by which scopes select a memory: its type, its category, and both together. */
export function memoryScopeNames(type: MemoryType, rawCategory: string): string[] {
  // An earlier version, or another copy of the book, may have stored a spelling with capitals.
  const category = foldScopeName(rawCategory)
  const path = category.startsWith('a2p:') ? category.slice('a2p:'.length) : undefined
  const typeAndCategory = path === undefined ? [] : [`${typeScope(type)}.${path}`]
  return ['memory', typeScope(type), category, ...typeAndCategory]
}

/**
 * Returns a predicate that is true for a memory within `rawScope`, a scope of a request. A category covers itself
 * and everything below it. A type covers all memories of the type. Both together (`a2p:semantic.preferences`) cover
 * the intersection. `a2p:*` covers all `a2p:` categories, `a2p:preferences.*` the same as `a2p:preferences`, and `*` and `**`
 * everything.
 */
export function scopeMatcher(rawScope: string): (memory: ClassifiedMemory) => boolean {
  const scope = foldScopeName(rawScope)
  if (scope === '*' || scope === '**') return () => true
  const stem = scope.replace(/(?:[.:]\*{1,2})$/, (suffix) => (suffix.startsWith(':') ? ':' : ''))
  // `a2p:*` means categories in `a2p:`. Names of types begin with `a2p:` too, so comparing them would match all memories.
  if (stem.endsWith(':')) return ({ category }) => foldScopeName(category).startsWith(stem)
  const isBelow = (category: string) => {
    const name = foldScopeName(category)
    return name.startsWith(stem) && (name.length === stem.length || /[.:]/.test(name.charAt(stem.length)))
  }
  const { type, rest } = typeInScope(stem)
  if (type === undefined) return ({ category }) => isBelow(category)
  if (rest === undefined) return ({ memory_type, category }) => memory_type === type || isBelow(category)
  const matchesCategory = scopeMatcher(`a2p:${rest}`)
  return (memory) => (memory.memory_type === type && matchesCategory(memory)) || isBelow(memory.category)
}

interface ClassifiedMemory {
  readonly memory_type: MemoryType
  readonly category: string
}

/** True for a scope of a request: a category, a type, or a prefix of one. */
export function isMemoryScope(text: string): boolean {
  return (
    text === '*' ||
    text === '**' ||
    isCategory(text.replace(/[.:]\*{1,2}$/, '')) ||
    /^(?:a2p|ext):\*{1,2}$/.test(text)
  )
}
