// Rebuilds outdated records, whose sources were forgotten or sealed: queues one task for each in an idle moment.
// After an unlock, repairs records that arrived while the book was locked: removes words of forgotten records, and
// raises sensitivity.
// Invariant: the transaction that outdates a record also stores in the book that the record is outdated
// (store/record/sources.ts): if a task is lost with this engine, the next engine queues it again.
import { nameId } from '../../core/text/name-id.ts'
import type { Changed, Service } from '../../core/capability/chapter.ts'
import { toDaybookError } from '../../core/errors.ts'
import type { Kinds } from '../../core/kind.ts'
import type { Ports } from '../../core/ports.ts'
import { formatTime } from '../../core/time.ts'
import type { BookStore } from '../../store/book-store.ts'
import type { OutdatedRecord } from '../../store/record/sources.ts'
import {
  removeForgottenWords,
  sealGuarded,
  updateMarks,
  type ForgottenWordsStore,
} from '../../sync/conflict/dependents.ts'

/**
 * The device that forgot the source rebuilds the record and syncs it. Other devices wait this long before a rebuild.
 */
export const otherDeviceDelayMs = 60_000
/** Most outdated records that one idle moment queues. */
const batch = 100
const maxAttempts = 5

export interface OutdatedWorkParts extends Pick<Ports, 'clock' | 'log'> {
  readonly kinds: Kinds
  readonly store: Pick<
    BookStore,
    | 'sources'
    | 'tasks'
    | 'writes'
    | 'bodies'
    | 'records'
    | 'stamps'
    | 'kinds'
    | 'purge'
    | keyof ForgottenWordsStore
  >
  /** Called after tasks were queued. */
  readonly wakeTasks: () => void
  readonly wrote: (changed: readonly Changed[]) => void
}

/** Works in each idle moment; one run at a time. */
export function createOutdatedWork({
  kinds,
  store,
  clock,
  log,
  wakeTasks,
  wrote,
}: OutdatedWorkParts): Service {
  const { sources, tasks, writes, bodies } = store
  /** Versions that this engine has queued: each is queued once, also if it stays outdated. */
  const queued = new Set<string>()
  /** The key that was open at the last repair of arrivals; undefined after a lock. */
  let repairedWith: string | undefined
  let isBusy = false

  /**
   * `rev`: the local version. `isRemote`: another device forgot the source. False if the record is queued
   * already.
   */
  const queueTask = ({ id, kind, agent, rev, isRemote }: OutdatedRecord): boolean => {
    const capability = kinds.get(kind)?.madeFrom?.rebuildVerb
    const version = `${id} ${rev}`
    if (capability === undefined || queued.has(version)) return false
    queued.add(version)
    // Each version has a task id of its own: a done task with the same id would block the rebuild.
    const task = nameId('rebuild', id, String(rev))
    const state = tasks.get(task)?.state
    if (state !== undefined && state !== 'dead') return false
    if (state === 'dead') tasks.remove(task)
    const now = clock.now()
    tasks.add(
      {
        id: task,
        capability,
        input: { id },
        scope: { agent },
        maxAttempts,
        dueAt: formatTime(now + (isRemote ? otherDeviceDelayMs : 0)),
      },
      formatTime(now),
    )
    return true
  }

  const work = async (): Promise<void> => {
    const opened = bodies.sealer.current()
    // After a lock and an unlock, repair again: records made from sealed records may have changed meanwhile.
    if (opened === undefined) repairedWith = undefined
    const isOpened = opened !== undefined && opened !== repairedWith
    if (!isOpened && !sources.rebuildable(batch).some(({ id, rev }) => !queued.has(`${id} ${rev}`))) return
    const { added, changed } = await writes.write(() => {
      if (isOpened) sources.linkUnlocked()
      const now = formatTime(clock.now())
      const dropped = isOpened ? removeForgottenWords(store, sources.eraser.sealedRecords(), now) : []
      const raised = isOpened ? sealGuarded(store, undefined, now) : []
      return {
        changed: [...dropped, ...raised, ...updateMarks(store, raised, now)],
        added: sources.rebuildable(batch).filter(queueTask).length,
      }
    })
    repairedWith = opened
    if (changed.length > 0) wrote(changed)
    if (added > 0) wakeTasks()
  }

  return {
    name: 'outdated records',
    idle() {
      if (isBusy) return
      isBusy = true
      work()
        .catch((error: unknown) => {
          const { code } = toDaybookError(error)
          if (code !== 'book-closed') log.warn('Outdated records wait for the next idle moment.', { code })
        })
        .finally(() => (isBusy = false))
    },
  }
}
