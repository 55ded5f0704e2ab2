// A full disk whose free space can't be measured: each caller gets the error of its call.
import { expect, it, vi } from 'vitest'
import { Followers } from '../../../../src/book/share/followers.ts'
import type { OwnerMessage } from '../../../../src/book/share/line-message.ts'
import { DaybookError } from '../../../../src/core/errors.ts'
import type { Engine } from '../../../../src/engine/engine.ts'
import { LocalCalls } from '../../../../src/hosts/browser/tab/local-calls.ts'
import type { TabOwner } from '../../../../src/hosts/browser/tab/tab-owner.ts'

const refit = () => Promise.reject(new DaybookError('storage-failed'))
const engine = {
  store: { requests: {}, writes: {} },
  together: (work: () => unknown) => work(),
  call: () => Promise.reject(new DaybookError('storage-full')),
} as unknown as Engine
const call = { number: 1, input: {} }
const full = { ok: false, error: expect.objectContaining({ code: 'storage-full' }) as object }

it('answers the page of the owner with storage-full', async () => {
  const calls = new LocalCalls({
    tab: 'a.0',
    port: { later: () => () => undefined },
    natureOf: () => ({ effect: 'read', repeatable: true }),
    hasEnded: () => false,
    fault: () => undefined,
    callNext: () => undefined,
  })
  const owner = { engine, refit, isClosed: false } as unknown as TabOwner
  expect(await calls.run(owner, 'daybook:status', call)).toEqual(full)
})

it('answers a follower with storage-full', async () => {
  const later = () => () => undefined
  const followers = new Followers({ engine, epoch: 1, durability: 'opfs', later, refit })
  const post = vi.fn<(message: OwnerMessage) => void>()
  const follower = followers.add({ tab: 'b.0', scope: { agent: 'me' } }, { post, close: () => undefined })
  follower.hear({ type: 'call', epoch: 1, id: 'daybook:status', calls: [call], settled: 0 })
  await vi.waitFor(() =>
    expect(post).toHaveBeenCalledWith({ type: 'answer', epoch: 1, replies: [[1, full]] }),
  )
})
