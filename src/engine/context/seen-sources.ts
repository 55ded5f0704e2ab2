// Whether a guest may see all that a record was made from: it may quote what is kept from him.
import { isDoubtful, isSourceInReach, type NamedRecord, type Reach } from '../../core/access/reach.ts'
import type { BookStore } from '../../store/book-store.ts'

type Made = NamedRecord & { readonly id: string }

export function hasSeenSources(
  { records, bodies, kinds, sources: all }: Pick<BookStore, 'records' | 'bodies' | 'kinds' | 'sources'>,
  reach: Reach,
  made: Made,
): boolean {
  const known = new Set<string>()
  const isOpen = ({ id: from, kind: name, body }: Pick<Made, 'id' | 'kind' | 'body'>): boolean => {
    const kind = kinds.get(name)
    const sources = kind ? all.idsOf(kind, body, from).filter((id) => !known.has(`${name} ${id}`)) : []
    return sources.every((id) => {
      known.add(`${name} ${id}`)
      const row = records.row(id)
      // It may quote what is gone, also where that is not noted yet: a sealed one that came late. A mark is the owner's alone while
      // there is no record that it is of.
      if (row ? row.deleted === 1 : kind?.madeFrom?.reachOnly) return false
      const said = !row || row.deleted ? undefined : bodies.read(row, row.body)
      if (!row || !said) return !isDoubtful(reach, row ? kinds.get(row.kind) : kind, row !== undefined, kinds)
      const source = { ...row, body: said }
      return isSourceInReach(reach, source, made, kinds) && isOpen(source)
    })
  }
  return isOpen(made)
}
