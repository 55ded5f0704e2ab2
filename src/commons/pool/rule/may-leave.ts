// The rules for content that leaves this book for the pool, and the text of a record to propose. Pure.
// Invariant: content with a denied tag, or without an allowed one, stays here.
import { DaybookError } from '../../../core/errors.ts'
import type { RecordHead } from '../../../core/record.ts'
import { isSealing } from '../../../core/sealed.ts'

export interface LeavePolicy {
  readonly tagsAllowed: readonly string[]
  readonly tagsDenied: readonly string[]
}

const folded = (tag: string) => tag.trim().toLowerCase()

/** Throws `forbidden` unless content with these tags may leave. */
export function checkTags(tags: readonly string[], { tagsAllowed, tagsDenied }: LeavePolicy): void {
  const denied = new Set(tagsDenied.map(folded))
  const allowed = new Set(tagsAllowed.map(folded))
  const bad = tags.find((tag) => denied.has(folded(tag)))
  if (bad !== undefined)
    throw stays(`Content with the tag \`${bad}\` does not leave this book. Remove the tag.`, 'tag-denied')
  if (tags.some((tag) => allowed.has(folded(tag)))) return
  throw stays(
    `Content leaves this book only with an allowed tag. Allowed: ${[...tagsAllowed].join(', ') || 'no tag'}.`,
    'tag-not-allowed',
  )
}

/** Throws `forbidden` for a sealed record, or a record of another agent than `own`. */
export function checkRecord({ id, sensitivity, agent }: RecordHead, own: string): void {
  if (isSealing(sensitivity))
    throw stays(`\`${id}\` is ${sensitivity}, and does not leave this book.`, 'sealed', 'record')
  if (agent !== own)
    throw stays(`\`${id}\` belongs to ${agent}; only that agent can propose it.`, 'other-agent', 'record')
}

/** The error for content that the secret scan would change. */
export function secretFound(path: string): DaybookError {
  return stays('The text has a secret, and does not leave this book. Remove the secret.', 'secret', path)
}

function stays(message: string, reason: string, path = 'tags'): DaybookError {
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
  const field = (name: string) => {
    const value = record[name]
    return typeof value === 'string' && value.trim() !== '' ? value : undefined
  }
  const subject = field('subject')
  const predicate = field('predicate')
  const object = field('object')
  if (subject !== undefined && predicate !== undefined && object !== undefined)
    return { statement: `${subject} ${predicate} ${object}`, fact: { subject, predicate, object } }
  const statement = field('text') ?? field('content') ?? field('summary') ?? field('description')
  if (statement !== undefined) return { statement }
  throw new DaybookError('invalid-input', `\`${record.id}\` has no text to propose. Give a statement.`, {
    details: { path: 'statement' },
  })
}
