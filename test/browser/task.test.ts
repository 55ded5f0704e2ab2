// A worker that is terminated in the middle of the task queue: the rest is made when the book is opened again, all of it once.
import { expect, it } from 'vitest'
import { openDaybook } from '../../src/index.ts'
import { settledTask } from '../contract/task.ts'

const workers: Worker[] = []
const RealWorker = globalThis.Worker
globalThis.Worker = class extends RealWorker {
  constructor(...args: ConstructorParameters<typeof Worker>) {
    super(...args)
    workers.push(this)
  }
}

it('makes every task once, although the worker dies in the middle', async () => {
  const name = `task-${crypto.randomUUID()}`
  const count = 60
  const book = await openDaybook({ name })
  // Without a name and a time, a message that was stored twice would be there twice.
  const add = (i: number) =>
    book.tasks.add({ capability: 'ks:store', input: { message: { content: `message ${i}` } } })
  const begun = new Promise<void>((resolve) => book.on('task', ({ state }) => state === 'done' && resolve()))
  const added = await Promise.all(Array.from({ length: count }, (_, i) => add(i)))
  await begun
  workers.at(-1)?.terminate()

  const again = await openDaybook({ name })
  for (const { id } of added) expect((await settledTask(again, id))?.state).toBe('done')
  const { records } = await again.conversation.list({ limit: 1000 })
  expect(new Set(records.map(({ content }) => content)).size).toBe(count)
  expect(records).toHaveLength(count)
  await again.close()
})
