// A real process that is killed in the middle of a task: the task is there when the book is opened again, and is made.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, expect, it } from 'vitest'
import { openDaybook } from '../../../../src/hosts/node/index.ts'
import { settledTask } from '../../../contract/task.ts'
import { openModelServer } from '../../../support/server/model-server.ts'

const folder = mkdtempSync(join(tmpdir(), 'daybook-kill-'))
const children: ChildProcess[] = []
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const entry = JSON.stringify(new URL('../../../../src/hosts/node/index.ts', import.meta.url).href)
const history = [{ role: 'user', content: 'The audit is in March.', timestamp: '2026-02-01' }]

/** A process that opens the book, puts off what it is given if anything, and then stays. */
function startProcess(path: string, url: string, task?: object): ChildProcess {
  const source = `
    import { openDaybook } from ${entry}
    const llm = { provider: 'api', url: ${JSON.stringify(url)}, model: 'test' }
    const book = await openDaybook({ name: 'kill', path: ${JSON.stringify(path)}, llm })
    const task = ${JSON.stringify(task ?? null)}
    if (task) await book.tasks.add(task)
    setInterval(() => {}, 1000)`
  const child = spawn(process.execPath, ['--no-warnings', '--input-type=module', '--eval', source], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  children.push(child)
  return child
}

const killed = (child: ChildProcess) =>
  new Promise<void>((resolve) => {
    child.once('exit', () => resolve())
    child.kill('SIGKILL')
  })

it('makes again what a killed process was in the middle of, and gives up after as many tries as were allowed', async () => {
  // The model never answers: whoever asks it is in the middle of the task.
  await using server = await openModelServer(() => undefined)
  const path = join(folder, 'kill.daybook')
  const task = { capability: 'ks:archive_episode', input: { history }, maxAttempts: 3 }
  for (const number of [1, 2]) {
    const asked = server.next()
    const child = startProcess(path, server.url, number === 1 ? task : undefined)
    await asked
    await killed(child)
    expect(server.asked).toHaveLength(number)
  }

  // The third try is the last one, and finds a book without a model.
  const book = await openDaybook({ name: 'kill', path })
  const [found] = (await book.tasks.list()).tasks
  expect(found).toMatchObject({ capability: 'ks:archive_episode', maxAttempts: 3 })
  const done = await settledTask(book, found?.id ?? '')
  expect(done).toMatchObject({ state: 'done', attempts: 3, result: { method: 'extractive' } })
  expect((await book.conversation.episodes()).records).toHaveLength(1)
  await book.close()
})

it('puts a task to the dead letters that ends its process each time', async () => {
  await using server = await openModelServer(() => undefined)
  const path = join(folder, 'dead.daybook')
  const asked = server.next()
  const child = startProcess(path, server.url, {
    capability: 'ks:archive_episode',
    input: { history },
    maxAttempts: 1,
  })
  await asked
  await killed(child)
  const book = await openDaybook({ name: 'kill', path })
  const [found] = (await book.tasks.list()).tasks
  const dead = await settledTask(book, found?.id ?? '')
  expect(dead).toMatchObject({ state: 'dead', attempts: 1, error: { code: 'engine-died' } })
  await book.close()
})
