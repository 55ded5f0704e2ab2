// What a record says, as text that can be proposed. Pure.
import { DaybookError } from '../../../core/errors.ts'
import type { RecordHead } from '../../../core/record.ts'

interface RecordWords {
  readonly statement: string
  readonly fact?: { readonly subject: string; readonly predicate: string; readonly object: string }
}

/** Throws `invalid-input` for a record that says nothing. */
export function wordsOf(record: RecordHead & Readonly<Record<string, unknown>>): RecordWords {
  const said = (name: string) => {
    const value = record[name]
    return typeof value === 'string' && value.trim() !== '' ? value : undefined
  }
  const subject = said('subject')
  const predicate = said('predicate')
  const object = said('object')
  if (subject !== undefined && predicate !== undefined && object !== undefined)
    return { statement: `${subject} ${predicate} ${object}`, fact: { subject, predicate, object } }
  const statement = said('text') ?? said('content') ?? said('summary') ?? said('description')
  if (statement !== undefined) return { statement }
  throw new DaybookError(
    'invalid-input',
    `\`${record.id}\` says nothing that could be proposed: give a statement.`,
    {
      details: { path: 'statement' },
    },
  )
}
