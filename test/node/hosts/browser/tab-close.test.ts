// The end of an owner's turn: the files are released even if the engine fails to close, and a failure to release them is
// the error that ends the worker.
import { expect, it } from 'vitest'
import type { Engine } from '../../../../src/engine/engine.ts'
import { TabOwner } from '../../../../src/hosts/browser/tab/tab-owner.ts'

function createOwner(close: () => void, release: () => Promise<void>) {
  const later: (() => void)[] = []
  const owner = new TabOwner({
    book: 'b',
    own: 'o',
    owned: {
      engine: {
        on: () => () => undefined,
        close,
        room: { tabs: () => [], snapshot: () => [] },
      } as unknown as Engine,
      epoch: 1,
      durability: 'opfs',
      makeStrict: () => undefined,
      release,
    },
    port: {
      open: () => ({ post: () => undefined, close: () => undefined }),
      lock: () => new Promise(() => undefined),
      later: (_delayMs, task) => {
        later.push(task)
        return () => undefined
      },
    },
    shared: { post: () => undefined, close: () => undefined },
    tell: () => undefined,
    onFault: () => undefined,
  })
  return { owner, later }
}

const fail = (text: string) => () => {
  throw new Error(text)
}

it.each([
  ['closes', () => undefined],
  ['fails to close', fail('not closed')],
])('ends the worker with the error of the files if the engine %s', async (_what, close) => {
  const { owner, later } = createOwner(close, () => Promise.reject(new Error('not released')))
  await owner.close()
  expect(later).toHaveLength(1)
  expect(later[0]).toThrow('not released')
})

it('resolves if the engine fails to close and the files are released', async () => {
  let isReleased = false
  const { owner, later } = createOwner(fail('not closed'), () => {
    isReleased = true
    return Promise.resolve()
  })
  await owner.close()
  expect([isReleased, later]).toEqual([true, []])
})
