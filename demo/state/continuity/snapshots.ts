// The snapshots and backups of a persona: taking and making them, verifying, and restoring after what it would do was shown.
import { computed, effect, signal } from '@preact/signals'
import type { CapabilityOutput, Daybook } from '../../../src/index.ts'
import { tell, tellError } from '../../page/toast.ts'
import { countOf } from '../../wording/text-word.ts'
import { address } from '../address.ts'
import { onBook, openedBook } from '../book.ts'
import { type Persona, persona } from './personas.ts'
import { held } from '../held.ts'

export type Snapshot = CapabilityOutput<'katra:list_snapshots'>['snapshots'][number]
export type Backup = CapabilityOutput<'katra:list_backups'>['backups'][number]
export type Restored = CapabilityOutput<'katra:restore_backup'>

interface Kept {
  readonly persona: string
  readonly snapshots: readonly Snapshot[]
  readonly cursor: string | undefined
  readonly backups: readonly Backup[]
}

export const kept = held<Kept | undefined>(undefined)
export const keptFailure = signal<unknown>(undefined)
/** What is being written for the next snapshot. */
export const focusDraft = signal('')
/** What the book works on: `snapshot`, `backup`, or the id of a backup. */
export const working = signal<string | undefined>(undefined)
/** Backups that were read back since the page was opened, and what restoring them would do. */
export const verified = signal<ReadonlyMap<string, Restored>>(new Map())
/** The backup that somebody is asked about, with what restoring it would do. */
export const restoring = signal<{ readonly backup: Backup; readonly would: Restored } | undefined>(undefined)

const pageSize = 30

let question = 0
export async function loadKept(): Promise<void> {
  const who = persona.peek()
  if (!who) return
  question += 1
  const mine = question
  try {
    const from = await openedBook()
    const before = kept.peek()
    const shown = before?.persona === who.ci_id ? before.snapshots.length : 0
    const [{ snapshots, cursor }, { backups }] = await Promise.all([
      from.snapshots.list({ persona: who.ci_id, limit: Math.min(1000, Math.max(pageSize, shown)) }),
      from.backups.list({ persona: who.ci_id }),
    ])
    if (mine !== question) return
    kept.value = { persona: who.ci_id, snapshots, cursor, backups }
    keptFailure.value = undefined
  } catch (error) {
    if (mine === question) keptFailure.value = error
  }
}

export async function loadOlderSnapshots(): Promise<void> {
  const before = kept.peek()
  if (before?.cursor === undefined) return
  try {
    const from = await openedBook()
    const { snapshots, cursor } = await from.snapshots.list({
      persona: before.persona,
      limit: pageSize,
      cursor: before.cursor,
    })
    if (kept.peek() === before)
      kept.value = { ...before, snapshots: [...before.snapshots, ...snapshots], cursor }
  } catch (error) {
    keptFailure.value = error
  }
}

/** Works on one thing at a time; says what did not work. */
async function work(
  what: string,
  failed: string,
  act: (from: Daybook, who: Persona) => Promise<void>,
): Promise<void> {
  const who = persona.peek()
  if (!who || working.peek() !== undefined) return
  working.value = what
  try {
    await act(await openedBook(), who)
    await loadKept()
  } catch (error) {
    tellError(failed, error)
  } finally {
    working.value = undefined
  }
}

export const takeSnapshot = () =>
  work('snapshot', 'The snapshot was not taken.', async (from, who) => {
    const focus = focusDraft.peek().trim()
    await from.snapshots.capture({ persona: who.ci_id, ...(focus === '' ? {} : { focus }) })
    focusDraft.value = ''
    tell('Snapshot taken.')
  })

export const makeBackup = () =>
  work('backup', 'The backup was not made.', async (from, who) => {
    const { records, removed } = await from.backups.make({ persona: who.ci_id })
    const also = removed === 0 ? '' : ` The oldest ${removed === 1 ? 'one was' : `${removed} were`} removed.`
    tell(`Backup made and verified: ${countOf(records, 'record')}.${also}`)
  })

const tryOut = async (from: Daybook, { id }: Backup): Promise<Restored> => {
  const would = await from.backups.restore({ id, dryRun: true })
  verified.value = new Map([...verified.peek(), [id, would]])
  return would
}

export const verifyBackup = (backup: Backup) =>
  work(backup.id, 'The backup could not be verified.', async (from) => {
    await tryOut(from, backup)
    tell('The backup is intact.')
  })

export const askToRestore = (backup: Backup) =>
  work(backup.id, 'The backup could not be read.', async (from) => {
    restoring.value = { backup, would: await tryOut(from, backup) }
  })

export const restoreBackup = (backup: Backup) => {
  restoring.value = undefined
  return work(backup.id, 'The backup was not restored.', async (from) => {
    const { imported, updated } = await from.backups.restore({ id: backup.id })
    verified.value = new Map()
    tell(`Restored: ${countOf(imported, 'record')} brought back, ${updated} changed.`)
  })
}

const asked = computed(() => (address.value.view === 'snapshots' && persona.value ? persona.value.ci_id : ''))
effect(() => {
  if (asked.value !== '') void loadKept()
})
onBook('change', ({ kinds }) => {
  if (asked.peek() !== '' && kinds.some((kind) => kind === 'snapshot' || kind === 'backup')) void loadKept()
})
