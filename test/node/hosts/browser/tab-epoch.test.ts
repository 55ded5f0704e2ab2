// Who belongs to which owner's turn: a follower heeds no other owner than its own, and an owner runs no other one's calls.
import type { FollowerMessage, OwnerMessage } from '../../../../src/book/share/line-message.ts'
import { expect, it } from 'vitest'
import type { Engine } from '../../../../src/engine/engine.ts'
import { Follower } from '../../../../src/book/share/follower.ts'
import { TabOwner } from '../../../../src/hosts/browser/tab/tab-owner.ts'
import { tabVersion } from '../../../../src/hosts/browser/tab/tab-wire.ts'

it('heeds nothing that a deposed owner says', async () => {
  const posted: FollowerMessage[] = []
  const follower = new Follower({
    tab: 't',
    port: { later: () => () => undefined },
    natureOf: () => ({ effect: 'write', repeatable: true }),
    post: (message) => posted.push(message),
    ask: () => undefined,
    complain: () => undefined,
    giveUp: () => undefined,
    refused: () => undefined,
    welcomed: () => true,
  })
  const answer = (epoch: number, value: string): OwnerMessage => ({
    type: 'answer',
    epoch,
    replies: [[1, { ok: true, value }]],
  })
  follower.hear({ type: 'welcome', epoch: 1, durability: 'opfs' })
  const [reply] = follower.call('kstar:store_trace', [{ number: 1, input: {} }])
  follower.lose(2)
  follower.hear(answer(1, 'of the deposed'))
  follower.hear(answer(2, 'of one that has not said welcome'))
  follower.hear({ type: 'welcome', epoch: 1, durability: 'opfs' })
  follower.hear(answer(1, 'of the deposed'))
  follower.hear({ type: 'welcome', epoch: 2, durability: 'opfs' })
  follower.hear(answer(1, 'of the deposed'))
  follower.hear(answer(2, 'of the owner'))
  expect(await reply).toEqual({ ok: true, value: 'of the owner' })
  // Sent to each owner, under one requestId.
  expect(posted.map(({ type, ...rest }) => [type, 'epoch' in rest ? rest.epoch : 0])).toEqual([
    ['call', 1],
    ['call', 2],
  ])
  expect(posted.every((one) => one.type === 'call' && one.calls[0]?.requestId === 't:000000000001')).toBe(
    true,
  )
})

it('runs no call that was meant for another owner', async () => {
  const hears: ((message: FollowerMessage) => void)[] = []
  const called: string[] = []
  const owner = new TabOwner({
    book: 'b',
    own: 'o',
    owned: {
      engine: {
        on: () => () => undefined,
        together: <Result>(work: () => Result) => work(),
        call: (id: string) => Promise.resolve(called.push(id)),
        close: () => undefined,
        room: { tabs: () => [], snapshot: () => [] },
        store: { settings: { get: () => undefined } },
      } as unknown as Engine,
      epoch: 7,
      durability: 'opfs',
      makeStrict: () => undefined,
      release: () => undefined,
    },
    port: {
      open: (_name, hear) => {
        hears.push(hear as never)
        return { post: () => undefined, close: () => undefined }
      },
      lock: () => new Promise(() => undefined),
      later: () => () => undefined,
    },
    shared: { post: () => undefined, close: () => undefined },
    tell: () => undefined,
    onFault: () => undefined,
  })
  owner.admit({ tab: 't', version: tabVersion, scope: { agent: 'a' }, strict: false })
  const call = (epoch: number, id: string) =>
    hears[0]?.({ type: 'call', epoch, id, calls: [{ number: 1, input: {} }], settled: 0 })
  call(6, 'earlier')
  call(8, 'later')
  call(7, 'own')
  expect(called).toEqual(['own'])
})
