// What became of every envelope at this copy of the book, newest first, as the address narrows it.
// Invariant: what comes meanwhile never moves what is read; it is shown when it is asked for.
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
/** There is something newer than what is on show. */
export const hasFresh = signal(false)

const pageSize = 100

const query = computed((): Query => {
  const chosen = chipOf('result')
  const type = chipOf('type')
  const claw = chipOf('claw')
  const result = chosen === 'refused' ? [...refusedResults] : chosen === undefined ? [] : [chosen]
  return {
    ...(result.length === 0 ? {} : { result: result as NonNullable<Query['result']> }),
    ...(type === undefined ? {} : { type }),
    ...(claw === undefined ? {} : { claw }),
  }
})

let asked = 0
async function read(before: readonly AuditEntry[], cursor?: string): Promise<void> {
  asked += 1
  const mine = asked
  try {
    const { pool } = await openedBook()
    const page = await pool.audit({
      ...query.peek(),
      limit: pageSize,
      ...(cursor === undefined ? {} : { cursor }),
    })
    if (mine !== asked) return
    audit.value = { entries: [...before, ...page.entries], cursor: page.cursor }
    auditFailure.value = undefined
    if (cursor === undefined) hasFresh.value = false
  } catch (error) {
    if (mine === asked) auditFailure.value = error
  }
}

export const loadAudit = () => read([])

export async function loadOlder(): Promise<void> {
  const before = audit.peek()
  if (before?.cursor !== undefined) await read(before.entries, before.cursor)
}

/** Is there anything newer? While nothing is on show, it is shown at once. */
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
