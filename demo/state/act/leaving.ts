// Records that are about to be forgotten: for ten seconds they are still in the book and can be kept, then they go. The names
// are noted beside the page, so that what was decided is done also when the page is closed within these seconds.
import { effect, signal } from '@preact/signals'
import { isDaybookError } from '../../../src/index.ts'
import { countOf } from '../../wording/size-word.ts'
import { tell, tellError } from '../../page/toast.ts'
import { bookName } from '../address.ts'
import { book, openedBook } from '../book.ts'
import { reloadList } from '../list/record-list.ts'

export type How = 'forget' | 'cascade' | 'purge'

interface Leaving {
  readonly id: string
  readonly how: How
}

const place = `daybook-inspector:leaving:${bookName}`
const waitMs = 10_000

/** The ids of the records that go as soon as their seconds are over. */
export const leaving = signal<ReadonlySet<string>>(new Set())
let noted: readonly Leaving[] = read()

function read(): readonly Leaving[] {
  try {
    const found: unknown = JSON.parse(localStorage.getItem(place) ?? '[]')
    return Array.isArray(found) ? found.filter(isLeaving) : []
  } catch {
    return []
  }
}

function isLeaving(value: unknown): value is Leaving {
  const { id, how } = (value ?? {}) as Partial<Leaving>
  return typeof id === 'string' && (how === 'forget' || how === 'cascade' || how === 'purge')
}

function note(change: readonly Leaving[]): void {
  noted = change
  try {
    if (noted.length === 0) localStorage.removeItem(place)
    else localStorage.setItem(place, JSON.stringify(noted))
  } catch {
    // Without site data what is decided is done while the page is open, or not at all.
  }
}

const without = (all: readonly Leaving[], ids: ReadonlySet<string>) => all.filter(({ id }) => !ids.has(id))

function keep(ids: ReadonlySet<string>): void {
  note(without(noted, ids))
  leaving.value = new Set([...leaving.peek()].filter((id) => !ids.has(id)))
}

/** Forgets records in ten seconds; until then a press keeps them. `said` names them, as in `Trace`. */
export function forgetSoon(records: readonly Leaving[], said: string): void {
  const ids = new Set(records.map(({ id }) => id))
  note([...without(noted, ids), ...records])
  leaving.value = new Set([...leaving.peek(), ...ids])
  tell(`${said} will be forgotten.`, {
    word: 'Undo',
    stayMs: waitMs,
    run: () => {
      keep(ids)
      tell(`${said} kept.`)
    },
    gone: () => void carryOut(records, said),
  })
}

async function carryOut(records: readonly Leaving[], said: string): Promise<void> {
  let gone = 0
  let released = 0
  try {
    const { records: verbs } = await openedBook()
    for (const { id, how } of records) {
      if (!noted.some((one) => one.id === id)) continue
      const cascade = how === 'cascade'
      const done = await (how === 'purge' ? verbs.purge({ id }) : verbs.forget({ id, cascade }))
      gone += done.forgotten_too.length
      released += done.released.length
      keep(new Set([id]))
    }
    const links = released > 0 ? ` ${countOf(released, 'record')} lost a link to it.` : ''
    const more = gone > 0 ? ` ${countOf(gone, 'record')} without another source deleted too.` : ''
    tell(`${said} forgotten.${links}${more}`)
  } catch (error) {
    keep(new Set(records.map(({ id }) => id)))
    tellError(`${said} could not be forgotten.`, error)
  }
  await reloadList({ keepPlace: true })
}

/** Does what was decided on this page before it was closed. Called once. */
export function finishLeaving(): void {
  effect(() => {
    const open = book.value
    const left = read()
    if (!open || left.length === 0) return
    void Promise.all(
      left.map(({ id, how }) =>
        how === 'purge'
          ? open.records.purge({ id })
          : open.records.forget({ id, cascade: how === 'cascade' }),
      ),
    ).then(
      () => note(without(noted, new Set(left.map(({ id }) => id)))),
      (error: unknown) => {
        if (!isDaybookError(error, 'book-closed')) tellError('Records could not be forgotten.', error)
      },
    )
  })
}
