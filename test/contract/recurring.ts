// Tasks that come round: set up, changed and ended by their name, on every host.
import { expect, it } from 'vitest'
import { makeTrace } from '../support/trace.ts'
import { type BookCase, failure } from './book-case.ts'
import { settledTask } from './task.ts'

const hour = 3_600_000
const store = (id: string) => ({ capability: 'kstar:store_trace', input: { ...makeTrace(), id } })

export function recurringCases({ book: open, reopen }: BookCase): void {
  it('runs a task that comes round when it is due, once for all that was missed, and shows its rounds', async () => {
    let book = await open()
    const { task, before } = await book.tasks.schedule({ id: 'nightly', ...store('a'), every: '1h' })
    expect(before).toBeNull()
    expect(Date.parse(task.nextAt) - Date.parse(task.createdAt)).toBe(hour)
    expect(await book.tasks.list()).toEqual({ tasks: [] })
    book = await reopen(book)
    // It was due a hundred times while nobody was here, the first time a hundred hours and a half ago.
    const first = new Date(Date.now() - 100.5 * hour).toISOString()
    await book.tasks.schedule({ id: 'nightly', first })
    const round = async () => (await book.tasks.schedules()).schedules[0]
    const begun = async (): Promise<string> => {
      const { promise, resolve } = Promise.withResolvers<void>()
      const off = book.on('task', () => resolve())
      const id = (await round())?.task.lastTask
      if (id === undefined) await promise
      off()
      return (await round())?.task.lastTask ?? ''
    }
    const done = await settledTask(book, await begun())
    expect(done).toMatchObject({ state: 'done', recurring: 'nightly', capability: 'kstar:store_trace' })
    expect((await book.traces.count()).total).toBe(1)
    const after = await round()
    expect(after).toMatchObject({ task: { id: 'nightly', rounds: 1, by: 'owner' }, last: 'done' })
    // The next one keeps to the clock of the first.
    expect((Date.parse(after?.task.nextAt ?? '') - Date.parse(first)) % hour).toBe(0)
    expect(Date.parse(after?.task.nextAt ?? '')).toBeGreaterThan(Date.now())
    book = await reopen(book)
    expect(await round()).toMatchObject({ task: { rounds: 1 }, last: 'done' })
    expect(await book.tasks.unschedule({ id: 'nightly' })).toEqual({ id: 'nightly', ended: true })
    expect(await book.tasks.unschedule({ id: 'nightly' })).toEqual({ id: 'nightly', ended: false })
    expect(await book.tasks.schedules()).toEqual({ schedules: [] })
  })

  it('changes a task that comes round by its name, and says what stood before', async () => {
    const book = await open()
    const { task } = await book.tasks.schedule({ id: 'a', ...store('a'), every: '1d', maxAttempts: 2 })
    const changed = await book.tasks.schedule({ id: 'a', every: 6 * hour })
    expect(changed.before).toEqual(task)
    expect(changed.task).toMatchObject({
      everyMs: 6 * hour,
      capability: task.capability,
      input: task.input,
      maxAttempts: 2,
    })
    expect(Date.parse(changed.task.nextAt)).toBeLessThan(Date.parse(task.nextAt))
    expect((await book.tasks.schedules()).schedules).toHaveLength(1)
  })

  it('refuses to have come round what it can not, with a path, and then there is nothing', async () => {
    const book = await open()
    const wrong: [input: object, code: string, path: string][] = [
      [{ id: 'a', every: '1h' }, 'invalid-input', 'capability'],
      [{ id: 'a', ...store('a') }, 'invalid-input', 'every'],
      [{ id: 'a', ...store('a'), every: '30s' }, 'invalid-input', 'every'],
      [{ id: 'a', ...store('a'), every: '400d' }, 'invalid-input', 'every'],
      [{ id: 'a', ...store('a'), every: 'daily' }, 'invalid-input', 'every'],
      [{ id: 'a b', ...store('a'), every: '1h' }, 'invalid-input', 'id'],
      [{ id: 'a', ...store('a'), every: '1h', first: 'soon' }, 'invalid-input', 'first'],
      [{ id: 'a', capability: 'kstar:no_such', every: '1h' }, 'unknown-capability', 'capability'],
      [{ id: 'a', capability: 'kstar:count_traces', every: '1h' }, 'invalid-input', 'capability'],
      [{ id: 'a', capability: 'task:add', every: '1h' }, 'invalid-input', 'capability'],
      [
        { id: 'a', capability: 'kstar:store_trace', input: {}, every: '1h' },
        'invalid-input',
        'input.situation',
      ],
    ]
    for (const [input, code, path] of wrong) {
      const error = await failure(book.tasks.schedule(input as never))
      expect([input, error.code, error.details['path']]).toEqual([input, code, path])
    }
    const secret = { capability: 'seal:unlock', input: { passphrase: 'correct horse battery' }, every: '1d' }
    expect((await failure(book.tasks.schedule({ id: 'a', ...secret }))).code).toBe('invalid-input')
    expect(await book.tasks.schedules()).toEqual({ schedules: [] })
  })
}
