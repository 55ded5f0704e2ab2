// The kinds of records that an export offers. A test compares them with the kinds of the book.

/** Records that are valid in this book only. No bundle contains them. */
export const boundKinds: readonly string[] = [
  'policy',
  'receipt',
  'access_request',
  'access_key',
  'agent_key',
  'backup',
  'backup_part',
  'key',
  'public_key',
]

/** Exported only together with control tokens. */
export const grantingKinds: readonly string[] = ['token']

/** The kinds that an export offers, of those that a book has. */
export const offeredKinds = (kinds: readonly string[]): readonly string[] =>
  kinds.filter((kind) => !boundKinds.includes(kind) && !grantingKinds.includes(kind))
