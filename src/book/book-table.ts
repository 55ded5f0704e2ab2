// The names of a book's methods and kinds, as its engine has them. A page gets them when the worker opens the book.
// Invariant: the table is plain data, so that it passes from a worker to its page.
import type { AnyCapability, CapabilityEffect } from '../core/capability/capability.ts'
import { DaybookError } from '../core/errors.ts'
import { defined } from '../core/defined.ts'
import { type Kinds, pluralOf } from '../core/kind.ts'
import { nearName } from '../core/option-check.ts'

/**
 * Path of a verb on a book, its id, and its effect: `read`, `write` (one transaction) or `task` (may take
 * long, and use several transactions).
 */
export type MethodRow = readonly [method: string, id: string, effect: CapabilityEffect]

export interface BookTable {
  readonly methods: readonly MethodRow[]
  readonly kinds: readonly (readonly [name: string, plural: string])[]
}

/** Builds the table from an engine's capabilities and kinds. A capability with several methods has several rows. */
export function bookTable(
  capabilities: readonly Pick<AnyCapability, 'id' | 'methods' | 'effect'>[],
  kinds: Kinds,
): BookTable {
  return {
    methods: capabilities.flatMap(({ id, methods, effect }) =>
      methods.map((method): MethodRow => [method, id, effect]),
    ),
    kinds: [...kinds.values()].map((kind) => [kind.name, pluralOf(kind)]),
  }
}

/** Returns the kind's name for its singular or plural name at `path`. Throws `invalid-input` for an unknown name. */
export function kindInTable({ kinds }: BookTable, name: string, path: string): string {
  const row = kinds.find((names) => names.includes(name))
  if (row) return row[0]
  const names = kinds.map(([singular]) => singular)
  throw unknownName(path, `There is no kind \`${name}\`.`, nearName(name, names))
}

/** The error for a name at `path` that the table lacks; `meant` is the most similar name. */
export function unknownName(path: string, message: string, meant: string | undefined): DaybookError {
  const way = meant === undefined ? '' : ` Did you mean \`${meant}\`?`
  return new DaybookError('invalid-input', `\`${path}\`: ${message}${way}`, {
    details: { path, ...defined({ meant }) },
  })
}
