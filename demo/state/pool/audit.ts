// The result of every envelope at this copy of the book, newest first, as the address narrows it.
// Invariant: new entries never move the list; they wait until the reader asks for them.
import { createReader, defined } from '../reading.ts'
import { computed, effect, signal } from '@preact/signals'
import type { CapabilityInput } from '../../../src/index.ts'
import { refusedResults } from '../../kind/view-field.ts'
import type { AuditEntry } from '../../kind/pool/pool-record.ts'
import { address, chipOf } from '../address.ts'
import { book, onBook, openedBook } from '../book.ts'
import { held } from '../held.ts'

interface Listed {
  readonly entries: readonly AuditEntry[]
  readonly cursor: string | undefined
}
type Query = NonNullable<CapabilityInput<'pool:audit'>>

export const audit = held<Listed | undefined>(undefined)
export const auditFailure = signal<unknown>(undefined)
/** There are newer entries. */
export const hasFresh = signal(false)

const pageSize = 100

const query = computed((): Query => {
  const chosen = chipOf('result')
  const result = chosen === 'refused' ? [...refusedResults] : chosen === undefined ? [] : [chosen]
  return {
    ...(result.length === 0 ? {} : { result: result as NonNullable<Query['result']> }),
    ...defined({ type: chipOf('type'), claw: chipOf('claw') }),
  }
})

const read = createReader(auditFailure)

const load = (before: readonly AuditEntry[], cursor?: string): Promise<void> =>
  read(
    (from) => from.pool.audit({ ...query.peek(), limit: pageSize, ...defined({ cursor }) }),
    (page) => {
      audit.value = { entries: [...before, ...page.entries], cursor: page.cursor }
      if (cursor === undefined) hasFresh.value = false
    },
  )

export const loadAudit = () => load([])

export async function loadOlder(): Promise<void> {
  const before = audit.peek()
  if (before?.cursor !== undefined) await load(before.entries, before.cursor)
}

/** Checks for newer entries. An empty list shows them at once. */
async function look(): Promise<void> {
  const first = audit.peek()?.entries[0]
  if (!first) return loadAudit()
  const { pool } = await openedBook()
  const { entries } = await pool.audit({ ...query.peek(), limit: 1 })
  const [newest] = entries
  if (newest && (newest.n !== first.n || newest.count !== first.count)) hasFresh.value = true
}

effect(() => {
  void query.value
  if (address.value.view === 'poolAudit' && book.value) void loadAudit()
})
onBook('pool', () => {
  if (address.peek().view === 'poolAudit') void look().catch(() => undefined)
})
