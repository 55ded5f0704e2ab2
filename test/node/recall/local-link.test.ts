// What becomes of a local model whose worker is slow, hangs, dies or answers nonsense. In virtual time, with a worker
// of ours.
import { beforeEach, describe, expect, test } from 'vitest'
import { neverAborted } from '../../../src/core/abort.ts'
import { DaybookError } from '../../../src/core/errors.ts'
import { LocalEmbedder } from '../../../src/recall/embed/local-embedder.ts'
import type { ModelResponse, ModelHost, ModelRequest } from '../../../src/recall/embed/model-message.ts'
import { failure } from '../../contract/book-case.ts'
import { createTestTime } from '../../support/test-engine.ts'

interface Started {
  readonly requests: ModelRequest[]
  ended: boolean
  say(answer: ModelResponse): void
  die(): void
}

let time: ReturnType<typeof createTestTime>
let workers: Started[]
let refuse: DaybookError | undefined
beforeEach(() => {
  time = createTestTime()
  workers = []
  refuse = undefined
})

const host: ModelHost = {
  startWorker(hear, ended) {
    if (refuse) return Promise.reject(refuse)
    const worker: Started = { requests: [], ended: false, say: hear, die: () => ended('It is gone.') }
    workers.push(worker)
    return Promise.resolve({
      post: (request) => worker.requests.push(request),
      end: () => (worker.ended = true),
    })
  },
}
const create = (onLoading?: () => void) =>
  new LocalEmbedder(
    { provider: 'local', model: 'm', deadlineMs: 5000 },
    { host, scheduler: time.ports.scheduler, onLoading },
  )
const turn = () => time.pass(0)
const vectors = (number: number, list: number[][]): ModelResponse => ({
  type: 'vectors',
  number,
  dimensions: list[0]?.length ?? 0,
  numbers: Float32Array.from(list.flat()),
})
const embed = (embedder: ReturnType<typeof create>, texts = ['a']) =>
  embedder.embed(texts, 'document', neverAborted)
/** The worker of the newest load, once it was asked to. */
async function loading(): Promise<Started> {
  await turn()
  const worker = workers.at(-1)
  expect(worker?.requests[0]?.type).toBe('load')
  return worker as Started
}

describe('the worker of a local model', () => {
  test('is started once, by the first who needs it, and says how far it is', async () => {
    const told: unknown[] = []
    const embedder = create(() => told.push(embedder.waiting))
    expect([embedder.waiting, workers.length]).toEqual(['Its model is not loaded yet.', 0])
    const prepared = embedder.prepare?.()
    const answered = embed(embedder)
    const worker = await loading()
    worker.say({ type: 'loading', done: 12_000_000, total: 90_000_000 })
    worker.say({ type: 'loaded' })
    await prepared
    await turn()
    worker.say(vectors(1, [[3, 4]]))
    expect([...((await answered)[0] ?? [])]).toEqual([expect.closeTo(0.6, 6), expect.closeTo(0.8, 6)])
    expect(workers.length).toBe(1)
    expect(told).toEqual(['Its model is being loaded.', 'Its model is being loaded: 12 of 90 MB.', undefined])
    expect([embedder.waiting, embedder.prepare?.()]).toEqual([undefined, false])
  })

  test('that could not load its model is ended, and the next call starts another', async () => {
    const embedder = create()
    const first = failure(embed(embedder))
    const worker = await loading()
    worker.say({ type: 'not-loaded', error: new DaybookError('embedder-failed', 'No file.').toJSON() })
    expect((await first).message).toContain('No file.')
    expect(worker.ended).toBe(true)
    const second = embed(embedder)
    const next = await loading()
    next.say({ type: 'loaded' })
    await turn()
    next.say(vectors(2, [[1]]))
    next.say(vectors(1, [[1]]))
    expect((await second).length).toBe(1)
  })

  test('whose download does not move for two minutes is begun anew; one that moves may take its time', async () => {
    const embedder = create()
    const first = failure(embed(embedder))
    const worker = await loading()
    for (let done = 1; done < 5; done++) {
      await time.pass(100_000)
      worker.say({ type: 'loading', done, total: 9 })
    }
    expect(worker.ended).toBe(false)
    await time.pass(121_000)
    expect(await first).toMatchObject({ code: 'embedder-failed', retry: true })
    expect([worker.ended, embedder.waiting]).toEqual([true, 'Its model is not loaded yet.'])
  })

  test.each([
    ['hangs', (): Promise<void> => time.pass(5001)],
    ['dies', (worker: Started): void => worker.die()],
  ])('that %s fails what waits for it and is replaced', async (_how, end) => {
    const embedder = create()
    const calls = [1, 2].map(() => failure(embed(embedder)))
    const worker = await loading()
    worker.say({ type: 'loaded' })
    await turn()
    await end(worker)
    for (const error of await Promise.all(calls))
      expect(error).toMatchObject({ code: 'embedder-failed', retry: true })
    const again = embed(embedder)
    const next = await loading()
    expect(next).not.toBe(worker)
    next.say({ type: 'loaded' })
    await turn()
    next.say(vectors(3, [[1, 0]]))
    expect((await again).length).toBe(1)
  })

  test.each([
    ['too few numbers', { type: 'vectors', number: 1, dimensions: 3, numbers: new Float32Array(2) } as const],
    ['no dimensions', { type: 'vectors', number: 1, dimensions: 0, numbers: new Float32Array(0) } as const],
    ['numbers that are none', vectors(1, [[Number.NaN]])],
    ['too many dimensions', vectors(1, [Array(5000).fill(1) as number[]])],
  ])('that answers %s has failed for good', async (_what, answer) => {
    const embedder = create()
    const error = failure(embed(embedder))
    const worker = await loading()
    worker.say({ type: 'loaded' })
    await turn()
    worker.say(answer)
    expect(await error).toMatchObject({ code: 'embedder-failed', retry: false })
  })

  test('that can not be started is a failure; a closed embedder starts none, and ends the one it waits for', async () => {
    refuse = new DaybookError('invalid-input', 'No worker.')
    expect((await failure(embed(create()))).message).toContain('No worker.')
    refuse = undefined
    const embedder = create()
    const call = failure(embed(embedder))
    embedder.close()
    expect((await call).code).toBe('aborted')
    await turn()
    expect(workers.map(({ ended }) => ended)).toEqual([true])
    expect((await failure(embed(embedder))).code).toBe('aborted')
    expect([embedder.prepare?.(), workers.length]).toEqual([false, 1])
  })
})
