// The rights of a token in sentences.
import { kindNamed } from './kind-table.ts'
import { shortInstant } from '../wording/time-word.ts'

export interface Allowed {
  readonly scope: string
  readonly permissions: readonly string[]
  readonly granted_to: string
  readonly not_before?: string | undefined
  readonly expires_at: string
}

const verbs: Readonly<Record<string, string>> = {
  read: 'read',
  write: 'store and change',
  forget: 'forget',
  export: 'export',
  sync: 'sync',
}

/** `read and store and change`, `call kstar:query_traces`; permissions without effect are left out. */
export function permissionWords(permissions: readonly string[]): string {
  const may = permissions.flatMap((one) => {
    if (one === '**') return 'do everything that can be granted with'
    if (one.includes(':')) return `call ${one} on`
    return verbs[one] ?? []
  })
  return may.length > 1 ? `${may.slice(0, -1).join(', ')} and ${may.at(-1)}` : (may[0] ?? '')
}

/** Permissions of the owner's own, without effect in the book. */
export function ownWords(permissions: readonly string[]): string[] {
  return permissions.filter(
    (one) => !one.includes(':') && one !== '**' && one !== 'delegation' && !(one in verbs),
  )
}

/** The records of a scope. */
export function scopeWords(scope: string): string {
  if (scope === '**') return 'everything in this book but tokens and keys'
  const [head = '', ...rest] = scope.split(':')
  const tail = rest.join(':')
  if (head === 'agent') return `what the agent “${tail}” stored`
  if (scope === 'meeting-room') return 'in the meeting room'
  if (head === 'session') return `what belongs to the session “${tail}”`
  const many = kindNamed(head)?.many
  if (!many) return `what is about “${scope}”`
  if (tail === '' || tail === '**') return `all ${many}`
  return `${many} of “${tail}”`
}

/** The former rights of an ended token, in sentences. */
export function endedTokenWords(
  { granted_to: holder, permissions, scope }: Allowed,
  how: 'revoked' | 'expired' | 'foreign',
): string[] {
  const could = permissionWords(permissions)
  const why =
    how === 'foreign' ? 'It was granted by another book, or to a name that it cannot have' : `It is ${how}`
  return [
    `${why}: ${holder} can do nothing with it.`,
    ...(could === '' ? [] : [`It was granted to ${could} ${scopeWords(scope)}.`]),
  ]
}

/** The rights of the holder, in sentences. */
export function tokenWords(token: Allowed, nowMs: number): string[] {
  const { granted_to: holder, permissions, scope, not_before: from, expires_at: until } = token
  const may = permissionWords(permissions)
  const subject = holder === '' ? 'The holder' : holder
  const when = `${from === undefined ? 'From now' : `From ${shortInstant(Date.parse(from), nowMs)}`} until ${
    Number.isNaN(Date.parse(until)) ? '…' : shortInstant(Date.parse(until), nowMs)
  }`
  const own = ownWords(permissions)
  return [
    may === ''
      ? `${subject} may do nothing in this book.`
      : `${when}, ${subject} may ${may} ${scopeWords(scope)}.`,
    ...(permissions.includes('delegation') || permissions.includes('**')
      ? ['The holder can delegate it, with the same access or less.']
      : []),
    ...(own.length > 0
      ? [`It carries ${own.map((one) => `“${one}”`).join(', ')}, which permits nothing here.`]
      : []),
    'Everything else is hidden, from reads, searches, counts and exports alike.',
  ]
}
