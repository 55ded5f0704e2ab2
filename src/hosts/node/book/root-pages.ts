// Reads the first page of each table and index of an open book.
// Damage of these pages fails almost every call, so opening finds it; deeper pages are too many to read at each opening.
import type { SqlDatabase } from '../../../core/ports.ts'
import { causeText, isDamageError } from '../../../store/repair/damage.ts'

interface Root {
  readonly type: string
  readonly name: string
  /** The table of an index. */
  readonly owner: string
  readonly sql: string | null
}

/** The fault of the first table or index whose first page can't be read; undefined for none. */
export function rootFault(db: SqlDatabase): string | undefined {
  const roots = db.all<Root & { [column: string]: string | null }>(
    "SELECT type, name, tbl_name AS owner, sql FROM sqlite_master WHERE rootpage > 0 AND type IN ('table', 'index')",
  )
  for (const root of roots) {
    try {
      db.get(firstRowSql(root))
    } catch (error) {
      if (isDamageError(error)) return `${root.name}: ${causeText(error)}`
      // SQLite refuses to use this index for the query.
    }
  }
  return undefined
}

function firstRowSql({ type, name, owner, sql }: Root): string {
  if (type === 'table') return `SELECT 1 FROM "${name}" NOT INDEXED LIMIT 1`
  // SQLite uses a partial index only for a query with the condition of the index.
  const condition = /\sWHERE\s(.*)$/is.exec(sql ?? '')?.[1] ?? '1'
  return `SELECT 1 FROM "${owner}" INDEXED BY "${name}" WHERE ${condition} LIMIT 1`
}
