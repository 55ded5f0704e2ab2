// States that the owner alone brings about, at the mirror: no device of a guest sends one, nor a change of a record in one.
import { expect, it } from 'vitest'
import { createKinds } from '../../../src/core/kind.ts'
import { admitGuestOp } from '../../../src/sync/mirror/guest-op.ts'
import type { WireOp } from '../../../src/sync/wire/protocol.ts'
import { createSyncReach } from '../../../src/sync/mirror/sync-reach.ts'
import { makeKind, openTestStore } from '../../support/test-store.ts'

const motion = makeKind({
  name: 'motion',
  policy: 'merge',
  ownerOnly: (body) => (body as { status?: string }).status === 'approved',
})

function openMirror() {
  const store = openTestStore([motion], { role: 'mirror' })
  const reach = createSyncReach(
    { agent: 'helper', permissions: ['sync', 'write', 'forget'] },
    createKinds([motion]),
  )
  let serial = 0
  const send = (op: object) => {
    const stamp = `019b0000000${++serial}-0000-d_guest`
    const sent = { kind: 'motion', op: 'put', base: 0, stamp, agent: 'helper', ...op }
    const at = '2026-07-01T00:00:00.000Z'
    return store.db.transaction(() =>
      admitGuestOp(
        store,
        { at, created_at: at, ...sent } as unknown as WireOp,
        { device: 'd_guest', newer: false, reach },
        Date.UTC(2026, 6, 1),
      ),
    )
  }
  return { store, send }
}

const refused = {
  s: 'rejected',
  error: { code: 'forbidden', details: { path: 'body', reason: 'owner-only' } },
}
const enc = { alg: 'A256GCM', kid: 'k_1', iv: 'AAAAAAAAAAAAAAAA', ct: 'AAAA' }

it('a guest’s device sends nothing in such a state, and nothing sealed that might be', () => {
  const { store, send } = openMirror()
  expect(send({ id: 'one', body: { status: 'approved' } })).toMatchObject(refused)
  expect(send({ id: 'two', enc, sensitivity: 'sensitive' })).toMatchObject(refused)
  expect(send({ id: 'three', body: { status: 'pending' } })).toMatchObject({ s: 'ok' })
  expect([store.records.row('one'), store.records.row('two')]).toEqual([undefined, undefined])
})

it('a guest’s device changes nothing in such a state, by a merge neither', () => {
  const { store, send } = openMirror()
  const first = send({ id: 'one', body: { status: 'pending', text: 'tea' } })
  expect(first).toMatchObject({ s: 'ok', ver: 1 })
  store.put({ status: 'approved', text: 'tea' }, { id: 'one', kind: 'motion', agent: 'helper' })
  const before = store.records.row('one')
  // Made on the version before the approval, on the present one, and on none.
  for (const base of [1, before?.ver ?? 0, 0])
    expect(send({ id: 'one', base, body: { status: 'pending', text: 'wine' } })).toMatchObject(refused)
  expect(store.records.row('one')).toEqual(before)
})
