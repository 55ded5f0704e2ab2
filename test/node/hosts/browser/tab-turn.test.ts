// One tab's turn at the book, step by step: when it ends, and in which order it lets go of what it has.
import { expect, it } from 'vitest'
import { DaybookError } from '../../../../src/core/errors.ts'
import type { Engine } from '../../../../src/engine/engine.ts'
import { BookTab } from '../../../../src/hosts/browser/tab/book-tab.ts'
import { type SharedMessage, sharedName, ownerLock } from '../../../../src/hosts/browser/tab/tab-wire.ts'

const turnOfLoop = () => new Promise((resolve) => setImmediate(resolve))

const options = {
  book: 'b',
  tab: 't',
  scope: { agent: 'a' },
  strict: false,
  acceptMemory: false,
  clock: { now: () => 0 },
}

it('gives way to a later owner, and lets go of the files before the lock', async () => {
  const done: string[] = []
  const hears = new Map<string, (message: SharedMessage) => void>()
  let turns = 0
  const tab = new BookTab({
    ...options,
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

it.each([
  ['runs', 'read', true, { ok: true, value: 'slow by engine 2' }],
  ['runs', 'task', true, { ok: true, value: 'slow by engine 2' }],
  ['rejects', 'task', false, { ok: false, error: expect.objectContaining({ code: 'owner-changed' }) }],
] as const)(
  '%s a %s (repeatable: %s) that fails only after its tab has opened the book again',
  async (_what, effect, repeatable, expected) => {
    let engines = 0
    let fault = () => undefined as void
    const failing = Promise.withResolvers<never>()
    const tab = new BookTab({
      ...options,
      natureOf: () => ({ effect, repeatable }),
      tell: () => undefined,
      port: {
        open: () => ({ post: () => undefined, close: () => undefined }),
        lock: () => Promise.resolve(() => undefined),
        later: () => () => undefined,
      },
      open: async (turn) => {
        const number = ++engines
        fault = turn.fault
        const call = (id: string) =>
          number === 1 ? failing.promise : Promise.resolve(`${id} by engine ${number}`)
        return {
          engine: {
            on: () => () => undefined,
            together: <Result>(work: () => Result) => work(),
            call,
            close: () => undefined,
            room: { tabs: () => [], snapshot: () => [] },
          } as unknown as Engine,
          epoch: number,
          durability: 'opfs',
          makeStrict: () => undefined,
          release: () => undefined,
        }
      },
    })
    await tab.ready
    const slow = tab.call('slow', [{ number: 1, input: {} }])
    fault()
    await expect.poll(() => engines).toBe(2)
    await turnOfLoop()
    failing.reject(new DaybookError('book-closed'))
    expect(await slow).toEqual([expected])
  },
)

it('rejects calls while the file that repairs a damaged book is missing, and each later call tries again', async () => {
  let opened = 0
  let isMissing = false
  let fault = () => undefined as void
  const waits: number[] = []
  const tab = new BookTab({
    ...options,
    natureOf: (id) => ({ effect: id === 'read' ? 'read' : 'write', repeatable: false }),
    tell: () => undefined,
    port: {
      open: () => ({ post: () => undefined, close: () => undefined }),
      lock: () => Promise.resolve(() => undefined),
      later: (delayMs) => {
        waits.push(delayMs)
        return () => undefined
      },
    },
    open: async (turn) => {
      opened += 1
      fault = turn.fault
      if (isMissing) throw new DaybookError('part-unavailable', 'No repair.', { details: { part: 'repair' } })
      const number = opened
      // Damage: the call reports it, and the end of the turn cuts the call.
      const call = (id: string, _input: unknown, { requestId }: { readonly requestId?: string }) => {
        if (!isMissing) return Promise.resolve(`${id} in turn ${number}`)
        fault()
        return Promise.reject(new DaybookError(requestId === undefined ? 'book-closed' : 'storage-failed'))
      }
      return {
        engine: {
          on: () => () => undefined,
          together: <Result>(work: () => Result) => work(),
          call,
          close: () => undefined,
          room: { tabs: () => [], snapshot: () => [] },
        } as unknown as Engine,
        epoch: number,
        durability: 'opfs',
        makeStrict: () => undefined,
        release: () => undefined,
      }
    },
  })
  await tab.ready
  isMissing = true
  const missing = { ok: false, error: { code: 'part-unavailable', details: { part: 'repair' } } }
  // It has begun when the damage is found, so its error must not say that nothing was stored.
  const write = tab.call('write', [{ number: 1, input: {}, requestId: 'mine' }])
  const others = [tab.call('read', [{ number: 2, input: {} }]), tab.call('write', [{ number: 3, input: {} }])]
  expect(await write).toMatchObject([{ ok: false, error: { code: 'owner-changed' } }])
  expect(await Promise.all(others)).toMatchObject([[missing], [missing]])
  expect([opened, waits.at(-1)]).toEqual([2, 30_000])
  expect(await tab.call('write', [{ number: 4, input: {} }])).toMatchObject([missing])
  expect(opened).toBe(3)
  isMissing = false
  expect(await tab.call('read', [{ number: 5, input: {} }])).toEqual([{ ok: true, value: 'read in turn 4' }])
  await tab.close()
})
