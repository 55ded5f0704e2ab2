// Of which kind the records are that are asked for, said so that SQLite begins where there is least to read.
import type { Predicate } from '../../core/filter/filter.ts'
import type { Kind } from '../../core/kind.ts'
import { type Fragment, placeOf } from '../schema/column.ts'

/**
 * Without statistics SQLite takes the index that spares it the sorting, and goes through the whole kind for the one record
 * of a name. A plus keeps it from that index.
 */
export function kindSql(kind: Kind, asked: Predicate): Fragment {
  const { name, facets } = kind
  const isNamed =
    facets.name !== undefined && isNameColumn(facets.name, kind) && isOfNames(asked, facets.name)
  return { sql: isNamed ? '+f.kind = ?' : 'f.kind = ?', params: [name] }
}

/** A claw is the actor of all that it has said, and is looked for there: that has many alike. */
function isNameColumn(path: string, kind: Kind): boolean {
  const place = placeOf(path, kind)
  return place.at === 'column' && place.sql === 'f.name'
}

/** Only records with certain texts at `path` satisfy it. */
function isOfNames(asked: Predicate, path: string): boolean {
  switch (asked.test) {
    case 'all':
      return asked.of.some((one) => isOfNames(one, path))
    case 'eq':
      return asked.path === path && typeof asked.value === 'string'
    case 'in':
      return asked.path === path && asked.values.every((value) => typeof value === 'string')
    default:
      return false
  }
}
