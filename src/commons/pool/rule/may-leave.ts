// The rules for content that leaves this book for the pool, and the text of a record to propose. Pure.
// Invariant: content with a denied tag, or without an allowed one, stays here.
import { DaybookError } from '../../../core/errors.ts'
import type { RecordHead } from '../../../core/record.ts'
import { isSealing } from '../../../core/sealed.ts'

export interface TagPolicy {
  readonly tagsAllowed: readonly string[]
  readonly tagsDenied: readonly string[]
}

const normalizeTag = (tag: string) => tag.trim().toLowerCase()

/** Throws `forbidden` unless content with these tags may leave. */
export function assertTagsMayLeave(tags: readonly string[], { tagsAllowed, tagsDenied }: TagPolicy): void {
  const denied = new Set(tagsDenied.map(normalizeTag))
  const allowed = new Set(tagsAllowed.map(normalizeTag))
  const deniedTag = tags.find((tag) => denied.has(normalizeTag(tag)))
  if (deniedTag !== undefined)
    throw mayNotLeaveError(
      `Content with the tag \`${deniedTag}\` does not leave this book. Remove the tag.`,
      'tag-denied',
    )
  if (tags.some((tag) => allowed.has(normalizeTag(tag)))) return
  throw mayNotLeaveError(
    `Content leaves this book only with an allowed tag. Allowed: ${[...tagsAllowed].join(', ') || 'no tag'}.`,
    'tag-not-allowed',
  )
}

/** Throws `forbidden` for a sealed record, or a record of another agent than `own`. */
export function assertRecordMayLeave({ id, sensitivity, agent }: RecordHead, callingAgent: string): void {
  if (isSealing(sensitivity))
    throw mayNotLeaveError(`\`${id}\` is ${sensitivity}, and does not leave this book.`, 'sealed', 'record')
  if (agent !== callingAgent)
    throw mayNotLeaveError(
      `\`${id}\` belongs to ${agent}; only that agent can propose it.`,
      'other-agent',
      'record',
    )
}

/** The error for content that the secret scan would change. */
export function secretError(path: string): DaybookError {
  return mayNotLeaveError(
    'The text has a secret, and does not leave this book. Remove the secret.',
    'secret',
    path,
  )
}

function mayNotLeaveError(message: string, reason: string, path = 'tags'): DaybookError {
  return new DaybookError('forbidden', message, { details: { path, reason } })
}

interface ProposableText {
  readonly statement: string
  readonly fact?: { readonly subject: string; readonly predicate: string; readonly object: string }
}

/**
 * The text to propose for a record, and its fact if it has a subject, predicate and object. Throws `invalid-input`
 * for a record without text.
 */
export function textToPropose(record: RecordHead & Readonly<Record<string, unknown>>): ProposableText {
  const textField = (name: string) => {
    const value = record[name]
    return typeof value === 'string' && value.trim() !== '' ? value : undefined
  }
  const subject = textField('subject')
  const predicate = textField('predicate')
  const object = textField('object')
  if (subject !== undefined && predicate !== undefined && object !== undefined)
    return { statement: `${subject} ${predicate} ${object}`, fact: { subject, predicate, object } }
  const statement =
    textField('text') ?? textField('content') ?? textField('summary') ?? textField('description')
  if (statement !== undefined) return { statement }
  throw new DaybookError('invalid-input', `\`${record.id}\` has no text to propose. Give a statement.`, {
    details: { path: 'statement' },
  })
}
