// The kinds of records that recall finds. A test compares them with the kinds of the book.

export const recalledKinds: readonly string[] = [
  'trace',
  'perception',
  'fact',
  'skill',
  'message',
  'episode',
  'profile',
  'answer',
  'memory',
  'thought',
  'digest',
  'pattern',
  'document',
  'pool_fact',
]
