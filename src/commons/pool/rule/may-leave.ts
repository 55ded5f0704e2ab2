// What may leave this book for the pool. Pure. Invariant: a tag that is denied, or none that is allowed, keeps it here.
import { DaybookError } from '../../../core/errors.ts'
import type { RecordHead } from '../../../core/record.ts'
import { isSealing } from '../../../core/sealed.ts'

export interface LeavePolicy {
  readonly tags_allowed: readonly string[]
  readonly tags_denied: readonly string[]
}

const folded = (tag: string) => tag.trim().toLowerCase()

/** Throws `forbidden` unless what has these tags may leave. */
export function checkTags(tags: readonly string[], { tags_allowed, tags_denied }: LeavePolicy): void {
  const denied = new Set(tags_denied.map(folded))
  const allowed = new Set(tags_allowed.map(folded))
  const held = tags.find((tag) => denied.has(folded(tag)))
  if (held !== undefined) throw stays(`What is tagged \`${held}\` does not leave this book.`, 'tag-denied')
  if (tags.some((tag) => allowed.has(folded(tag)))) return
  throw stays(
    `It needs one of the tags that may leave this book: ${[...tags_allowed].join(', ') || 'there are none'}.`,
    'tag-not-allowed',
  )
}

/** Throws `forbidden` for a record that is sealed, or that is not the agent's own. */
export function checkRecord({ id, sensitivity, agent }: RecordHead, own: string): void {
  if (isSealing(sensitivity))
    throw stays(`\`${id}\` is ${sensitivity}, and does not leave this book.`, 'sealed', 'record')
  if (agent !== own)
    throw stays(`\`${id}\` is ${agent}'s, and leaves this book in no other name.`, 'other-agent', 'record')
}

/** Nothing goes out that this book would not keep as it is. */
export function secretFound(path: string): DaybookError {
  return stays('It holds a secret, and does not leave this book.', 'secret', path)
}

function stays(message: string, reason: string, path = 'tags'): DaybookError {
  return new DaybookError('forbidden', message, { details: { path, reason } })
}

// What a record says, as text that can be proposed. Pure.
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
