// Has told anew what was made from records that are gone or sealed now: a task for each, put off in an idle moment. What was read
// while the keys were away is put in order when they are there, and loses the words of what is gone.
// Invariant: what is to be done stands in the book since the transaction that made it outdated (store/record/sources.ts), so
// a task that is lost with its engine is put off again by the next one.
import type { Changed, Service } from '../../core/capability/service.ts'
import { toDaybookError } from '../../core/errors.ts'
import type { Kinds } from '../../core/kind.ts'
import type { Ports } from '../../core/ports.ts'
import { formatTime } from '../../core/time.ts'
import type { BookStore } from '../../store/book-store.ts'
import type { OutdatedRecord } from '../../store/record/sources.ts'
import { dropWords, type WordStore, raiseGuarded, updateMarks } from '../../sync/conflict/dependents.ts'

/** Whoever forgot the source tells it anew at once and sends that: others wait so long before they do it themselves. */
export const heardDelayMs = 60_000
const batch = 100
const maxAttempts = 5

export interface TellAnewWorkParts extends Pick<Ports, 'clock' | 'log'> {
  readonly kinds: Kinds
  readonly store: Pick<
    BookStore,
    'sources' | 'tasks' | 'writes' | 'bodies' | 'records' | 'stamps' | 'kinds' | 'purge' | keyof WordStore
  >
  /** A task was put off. */
  readonly wakeTasks: () => void
  readonly wrote: (changed: readonly Changed[]) => void
}

export function createTellAnewWork({
  kinds,
  store,
  clock,
  log,
  wakeTasks,
  wrote,
}: TellAnewWorkParts): Service {
  const { sources, tasks, writes, bodies } = store
  /** Versions that this engine has put off: one that stays outdated all the same is not tried for ever. */
  const tried = new Set<string>()
  let key: string | undefined
  let isBusy = false

  const putOff = ({ id, kind, agent, rev, isRemote }: OutdatedRecord): boolean => {
    const capability = kinds.get(kind)?.madeFrom?.anew
    const version = `${id} ${rev}`
    if (capability === undefined || tried.has(version)) return false
    tried.add(version)
    // One for each version: a task of the same name would be taken for the one that was done before.
    const task = `anew-${version.replace(' ', '-')}`
    const state = tasks.get(task)?.state
    if (state !== undefined && state !== 'dead') return false
    if (state === 'dead') tasks.drop(task)
    const now = clock.now()
    tasks.add(
      {
        id: task,
        capability,
        input: { id },
        scope: { agent },
        maxAttempts,
        dueAt: formatTime(now + (isRemote ? heardDelayMs : 0)),
      },
      formatTime(now),
    )
    return true
  }

  const work = async (): Promise<void> => {
    const opened = bodies.sealer.current()
    // Locked and opened again with the same key: it may have changed meanwhile what rests on what is sealed.
    if (opened === undefined) key = undefined
    const isOpened = opened !== undefined && opened !== key
    if (!isOpened && !sources.waiting(batch).some(({ id, rev }) => !tried.has(`${id} ${rev}`))) return
    const { added, changed } = await writes.write(() => {
      if (isOpened) sources.takeOpened()
      const now = formatTime(clock.now())
      const dropped = isOpened ? dropWords(store, sources.words.sealed(), now) : []
      const raised = isOpened ? raiseGuarded(store, undefined, now) : []
      return {
        changed: [...dropped, ...raised, ...updateMarks(store, raised, now)],
        added: sources.waiting(batch).filter(putOff).length,
      }
    })
    key = opened
    if (changed.length > 0) wrote(changed)
    if (added > 0) wakeTasks()
  }

  return {
    name: 'telling anew',
    idle() {
      if (isBusy) return
      isBusy = true
      work()
        .catch((error: unknown) => {
          const { code } = toDaybookError(error)
          if (code !== 'book-closed') log.warn('What is outdated waits for the next idle moment.', { code })
        })
        .finally(() => (isBusy = false))
    },
  }
}
