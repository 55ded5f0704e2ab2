// One tab's turn at the book, step by step: when it ends, and in which order it lets go of what it has.
import { expect, it } from 'vitest'
import type { Engine } from '../../../../src/engine/engine.ts'
import { BookTab } from '../../../../src/hosts/browser/tab/book-tab.ts'
import { type SharedMessage, sharedName, ownerLock } from '../../../../src/hosts/browser/tab/tab-wire.ts'

const turnOfLoop = () => new Promise((resolve) => setImmediate(resolve))

it('gives way to a later owner, and lets go of the files before the lock', async () => {
  const done: string[] = []
  const hears = new Map<string, (message: SharedMessage) => void>()
  let turns = 0
  const tab = new BookTab({
    book: 'b',
    tab: 't',
    scope: { agent: 'a' },
    strict: false,
    acceptMemory: false,
    clock: { now: () => 0 },
    natureOf: () => ({
      effect: 'write',
      repeatable: true,
    }),
    tell: () => undefined,
    port: {
      open: (name, hear) => {
        hears.set(name, hear as never)
        return {
          post: () => undefined,
          close: () => undefined,
        }
      },
      lock: (name) => {
        if (name === ownerLock('b') && ++turns > 1) return new Promise(() => undefined)
        return Promise.resolve(() => void done.push('the lock is free'))
      },
      later: () => () => undefined,
    },
    open: async () => ({
      engine: {
        on: () => () => undefined,
        together: <Result>(work: () => Result) => work(),
        call: (id: string) => Promise.resolve(done.push(`${id} was run`)),
        close: () => done.push('the engine is closed'),
        room: {
          tabs: () => [],
          snapshot: () => [],
        },
      } as unknown as Engine,
      epoch: 1,
      durability: 'opfs',
      makeStrict: () => undefined,
      async release() {
        await turnOfLoop()
        done.push('the files are free')
      },
    }),
  })
  await tab.ready
  await tab.call('first', [{ number: 1, input: {} }])
  hears.get(sharedName('b'))?.({ type: 'owner', epoch: 2 })
  // What comes now is for the later owner.
  void tab.call('second', [{ number: 2, input: {} }])
  for (let i = 0; i < 5; i++) await turnOfLoop()
  expect(done).toEqual(['first was run', 'the engine is closed', 'the files are free', 'the lock is free'])
})
