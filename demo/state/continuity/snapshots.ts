// Snapshots and backups of a persona. A restore first shows its effect.
import { createReader } from '../reading.ts'
import { attempt, onBook } from '../book.ts'
import { computed, effect, signal } from '@preact/signals'
import type { CapabilityOutput, Daybook } from '../../../src/index.ts'
import { tell } from '../../page/toast.ts'
import { countOf } from '../../wording/text-word.ts'
import { address } from '../address.ts'
import { type Persona, persona } from './personas.ts'
import { held } from '../held.ts'

export type Snapshot = CapabilityOutput<'katra:list_snapshots'>['snapshots'][number]
export type Backup = CapabilityOutput<'katra:list_backups'>['backups'][number]
export type Restored = CapabilityOutput<'katra:restore_backup'>

interface PersonaFiles {
  readonly persona: string
  readonly snapshots: readonly Snapshot[]
  readonly cursor: string | undefined
  readonly backups: readonly Backup[]
}

export const personaFiles = held<PersonaFiles | undefined>(undefined)
export const snapshotsFailure = signal<unknown>(undefined)
/** The text for the next snapshot. */
export const focusDraft = signal('')
/** The running work: `snapshot`, `backup`, or the id of a backup. */
export const working = signal<string | undefined>(undefined)
/** The effect of restoring each backup that was verified since the page opened. */
export const verified = signal<ReadonlyMap<string, Restored>>(new Map())
/** The backup of the open question, and the effect of restoring it. */
export const restoring = signal<{ readonly backup: Backup; readonly effect: Restored } | undefined>(undefined)

const pageSize = 30
const read = createReader(snapshotsFailure)
const show = (found: PersonaFiles) => void (personaFiles.value = found)

export async function loadSnapshots(): Promise<void> {
  const of = persona.peek()
  if (!of) return
  const before = personaFiles.peek()
  const shown = before?.persona === of.ci_id ? before.snapshots.length : 0
  await read(async (from) => {
    const [{ snapshots, cursor }, { backups }] = await Promise.all([
      from.snapshots.list({ persona: of.ci_id, limit: Math.min(1000, Math.max(pageSize, shown)) }),
      from.backups.list({ persona: of.ci_id }),
    ])
    return { persona: of.ci_id, snapshots, cursor, backups }
  }, show)
}

export async function loadOlderSnapshots(): Promise<void> {
  const before = personaFiles.peek()
  if (before?.cursor === undefined) return
  const { persona: of, cursor: start } = before
  await read(async (from) => {
    const { snapshots, cursor } = await from.snapshots.list({ persona: of, limit: pageSize, cursor: start })
    return { ...before, snapshots: [...before.snapshots, ...snapshots], cursor }
  }, show)
}

/** Runs one work at a time, then reads again. */
async function work(
  name: string,
  failed: string,
  act: (from: Daybook, of: Persona) => Promise<void>,
): Promise<void> {
  const of = persona.peek()
  if (!of || working.peek() !== undefined) return
  working.value = name
  await attempt(failed, async (from) => {
    await act(from, of)
    await loadSnapshots()
  })
  working.value = undefined
}

export const takeSnapshot = () =>
  work('snapshot', 'The snapshot was not taken.', async (from, of) => {
    const focus = focusDraft.peek().trim()
    await from.snapshots.capture({ persona: of.ci_id, ...(focus === '' ? {} : { focus }) })
    focusDraft.value = ''
    tell('Snapshot taken.')
  })

export const makeBackup = () =>
  work('backup', 'The backup was not made.', async (from, of) => {
    const { records, removed } = await from.backups.make({ persona: of.ci_id })
    const also = removed === 0 ? '' : ` The oldest ${removed === 1 ? 'one was' : `${removed} were`} removed.`
    tell(`Backup made and verified: ${countOf(records, 'record')}.${also}`)
  })

const tryOut = async (from: Daybook, { id }: Backup): Promise<Restored> => {
  const effect = await from.backups.restore({ id, dryRun: true })
  verified.value = new Map([...verified.peek(), [id, effect]])
  return effect
}

export const verifyBackup = (backup: Backup) =>
  work(backup.id, 'The backup could not be verified.', async (from) => {
    await tryOut(from, backup)
    tell('The backup is intact.')
  })

export const askToRestore = (backup: Backup) =>
  work(backup.id, 'The backup could not be read.', async (from) => {
    restoring.value = { backup, effect: await tryOut(from, backup) }
  })

export const restoreBackup = (backup: Backup) => {
  restoring.value = undefined
  return work(backup.id, 'The backup was not restored.', async (from) => {
    const { imported, updated } = await from.backups.restore({ id: backup.id })
    verified.value = new Map()
    tell(`Restored: ${countOf(imported, 'record')} brought back, ${updated} changed.`)
  })
}

const shownPersona = computed(() =>
  address.value.view === 'snapshots' && persona.value ? persona.value.ci_id : '',
)
effect(() => {
  if (shownPersona.value !== '') void loadSnapshots()
})
onBook('change', ({ kinds }) => {
  if (shownPersona.peek() !== '' && kinds.some((kind) => kind === 'snapshot' || kind === 'backup'))
    void loadSnapshots()
})
