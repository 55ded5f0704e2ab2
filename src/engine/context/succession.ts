// Where a record stands among those that supersede each other, as far as the caller sees them.
import { successionOf, type Heir, type Succession } from '../../core/succession/succession.ts'
import { citedIds, type Kind } from '../../core/kind.ts'
import type { RecordReader } from '../../core/capability/port/record-port.ts'
import type { Stored } from '../../core/record.ts'
import type { JsonObject } from '../../core/json/path.ts'
import type { BookStore } from '../../store/book-store.ts'

export interface SuccessionParts {
  readonly store: Pick<BookStore, 'kinds' | 'queries'>
  readonly seen: Pick<RecordReader, 'get'>
  readonly citing: RecordReader['citing']
}

/** For a record of a kind whose records supersede each other; any other stands for itself. */
export function readSuccession(id: string, name: string, parts: SuccessionParts): Succession {
  const kind = parts.store.kinds.get(name)
  const path = kind?.cites?.find(({ supersedes }) => supersedes)?.path
  if (!kind || path === undefined) return { current: id, isDisplaced: false }
  const heir = (found: Stored<JsonObject> | undefined) => found && asHeir(found, kind, path)
  return successionOf(id, kind.policy, {
    get: (one) => heir(parts.seen.get(one)),
    heirs: (target) =>
      parts
        .citing(target)
        .filter((one) => one.kind === name && one.path === path)
        .flatMap((one) => {
          const found = parts.seen.get(one.id)
          // One that stands in the place of several yields all of them when it yields one.
          const isYielding = citedIds(found ?? {}, path).length > 1 && parts.store.queries.isDisplaced(one.id)
          return (isYielding ? undefined : heir(found)) ?? []
        }),
    mayBeDisplaced: (one) => parts.store.queries.isDisplaced(one),
  })
}

function asHeir(found: Stored<JsonObject>, kind: Kind, path: string): Heir | undefined {
  if (found.kind !== kind.name) return undefined
  return { id: found.id, created_at: found.created_at, target: citedIds(found, path)[0] }
}
