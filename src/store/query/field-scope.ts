// Which texts of a record the fields of a search mean. The index has a column for each text field that a kind declares;
// what lies above such fields is several columns, what lies below one is part of a column.
import { DaybookError } from '../../core/errors.ts'
import type { Zone } from '../../core/calendar/zone.ts'
import { collectText, type Kind, whenField } from '../../core/kind.ts'
import { isWithin, readPath } from '../../core/json/path.ts'
import { indexText, textOf } from '../word/text.ts'

export interface FieldScope {
  /** Columns of the text index that hold the fields, and maybe more. */
  readonly columns: readonly number[]
  /** The texts of exactly the fields. Absent when the columns hold nothing else. */
  readonly textsOf?: (record: object, happenedAt: string) => string[]
}

/** Finds `fields` among those of `kind`; throws when one of them is not searchable. */
export function scopeOf(fields: readonly string[], kind: Kind, zone?: Zone): FieldScope {
  const whole = new Set<number>()
  const below = new Map<string, number>()
  fields.forEach((field, i) => {
    const columns = [...kind.text.keys()].filter((column) => isWithin(kind.text[column] ?? '', field))
    for (const column of columns) whole.add(column)
    if (columns.length > 0) return
    const column = columnAbove(field, kind)
    if (column === undefined) throw notSearchable(field, `fields.${i}`, kind)
    below.set(field, column)
  })
  const parts = [...below].filter(([, column]) => !whole.has(column))
  const columns = [...new Set([...whole, ...parts.map(([, column]) => column)])]
  if (parts.length === 0) return { columns }
  return {
    columns,
    textsOf(record, happenedAt) {
      const texts =
        whole.size === 0
          ? []
          : textOf(kind, record, happenedAt, zone).filter((_, column) => whole.has(column))
      return [...texts, ...parts.map(([path]) => indexText(collectText(readPath(record, path)).join(' ')))]
    },
  }
}

/** The column of the nearest declared field that `path` lies below. */
function columnAbove(path: string, kind: Kind): number | undefined {
  if (path.split('.').includes('')) return undefined
  let found: number | undefined
  kind.text.forEach((declared, column) => {
    if (declared === whenField || !isWithin(path, declared)) return
    if (found === undefined || declared.length > (kind.text[found] ?? '').length) found = column
  })
  return found
}

function notSearchable(field: string, path: string, kind: Kind): DaybookError {
  const searchable = kind.text.filter((declared) => declared !== whenField)
  const message = `\`${field.slice(0, 80)}\` is not searchable. The text of a ${kind.name} is in ${searchable.join(', ')}, and below.`
  return new DaybookError('invalid-input', message, { details: { path, searchable } })
}
