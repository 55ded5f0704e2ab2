// Categories and types of memories: what each is called, how guarded it is, and its names in scopes.
// A type says how a memory is used, a category what it is about; `a2p:episodic` can be read as either.
import { foldName } from '../../../core/access/scope.ts'
import { isLowered, type Sensitivity } from '../../../core/sealed.ts'

export const memoryTypes = ['episodic', 'semantic', 'procedural'] as const
export type MemoryType = (typeof memoryTypes)[number]

/** Types as the profile document calls them: the names of its lists. */
export const typeScope = (type: MemoryType): string => `a2p:${type}`

/** `a2p:preferences.communication`, `ext:spotify:music.preferences`. */
const grammar =
  /^(?:a2p:[A-Za-z0-9_]+(?:\.[A-Za-z0-9_]+)*|ext:[A-Za-z0-9_-]+(?::[A-Za-z0-9_]+)?(?:\.[A-Za-z0-9_]+)*)$/
export const categoryLimit = 128

export function isCategory(text: string): boolean {
  return text.length <= categoryLimit && grammar.test(text)
}

/** By the first segment of a category of the standard namespace; all others are `standard`. */
const guarded: Readonly<Record<string, Sensitivity>> = {
  health: 'restricted',
  financial: 'restricted',
  relationships: 'sensitive',
}

const firstOf = (category: string) => /^a2p:([a-z0-9_]+)/.exec(category.toLowerCase())?.[1] ?? ''

/** How sensitive a memory of `category` is unless somebody says more. */
export function usualSensitivity(category: string): Sensitivity {
  const first = firstOf(category)
  return Object.hasOwn(guarded, first) ? (guarded[first] ?? 'standard') : 'standard'
}

/** What `asked` makes of the usual sensitivity: anybody raises it, and nobody lowers it by asking. */
export function raisedSensitivity(category: string, asked: Sensitivity | undefined): Sensitivity {
  const usual = usualSensitivity(category)
  return asked === undefined || isLowered(asked, usual) ? usual : asked
}

/** What a memory is called in scopes: by its type, by its category, and by both together. */
export function memoryNames(type: MemoryType, written: string): string[] {
  // Of an earlier Daybook, or of another copy of the book, it may be spelled otherwise.
  const category = foldName(written)
  const path = category.startsWith('a2p:') ? category.slice('a2p:'.length) : undefined
  const both = path === undefined ? [] : [`${typeScope(type)}.${path}`]
  return ['memory', typeScope(type), category, ...both]
}

/**
 * Tells whether a memory of some type and category is within `scope`, as a request names it: a category stands for itself and
 * everything below it, a type for all memories of the type, both together (`a2p:semantic.preferences`) for what is in both.
 * `a2p:*`, `a2p:preferences.*` and `**` stand for what they begin with.
 */
export function scopeMatcher(written: string): (placed: Placed) => boolean {
  const scope = foldName(written)
  if (scope === '*' || scope === '**') return () => true
  const stem = scope.replace(/(?:[.:]\*{1,2})$/, (end) => (end.startsWith(':') ? ':' : ''))
  // A namespace is one of categories: every memory has a type of the standard one.
  if (stem.endsWith(':')) return ({ category }) => foldName(category).startsWith(stem)
  const isBelow = (category: string) => {
    const name = foldName(category)
    return name.startsWith(stem) && (name.length === stem.length || /[.:]/.test(name.charAt(stem.length)))
  }
  const [, type, rest] = /^a2p:(episodic|semantic|procedural)(?:\.(.+))?$/.exec(stem) ?? []
  if (type === undefined) return ({ category }) => isBelow(category)
  if (rest === undefined) return ({ memory_type, category }) => memory_type === type || isBelow(category)
  const both = scopeMatcher(`a2p:${rest}`)
  return (placed) => (placed.memory_type === type && both(placed)) || isBelow(placed.category)
}

interface Placed {
  readonly memory_type: MemoryType
  readonly category: string
}

/** A scope as a request names it: a category, a type, or the beginning of one. */
export function isScope(text: string): boolean {
  return (
    text === '*' ||
    text === '**' ||
    isCategory(text.replace(/[.:]\*{1,2}$/, '')) ||
    /^(?:a2p|ext):\*{1,2}$/.test(text)
  )
}
