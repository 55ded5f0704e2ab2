// Which records are sealed, and who may know of them: kinds that are sensitive as a whole, guests, other callers.
import { expect, test } from 'vitest'
import type { Caller } from '../../../src/core/capability/caller.ts'
import { isDaybookError } from '../../../src/core/errors.ts'
import type { Sensitivity } from '../../../src/core/sealed.ts'
import { readReach } from '../../../src/core/access/reach.ts'
import { createRecordAccess } from '../../../src/engine/context/record-access.ts'
import { noSecretGuard } from '../../../src/engine/context/secret-guard.ts'
import { nodePorts } from '../../../src/hosts/node/port/node-ports.ts'
import { createTestSealer } from '../../support/test-sealer.ts'
import { makeKind, openTestStore } from '../../support/test-store.ts'

const now = '2026-02-01T00:00:00.000Z'
const kinds = [
  makeKind({ name: 'diary', sensitivity: 'restricted', facets: { domain: 'place' }, scopedBy: 'domain' }),
  makeKind({ name: 'rule', guests: 'read' }),
]

function open() {
  const sealer = createTestSealer()
  const store = openTestStore(kinds, { sealer })
  const accessOf = createRecordAccess({
    renew: (guest) => guest,
    secrets: noSecretGuard,
    store,
    ports: nodePorts,
    scope: { agent: 'a' },
  })
  const own = accessOf({ role: 'owner' })
  const put = (kind: string, id: string, place: string, sensitivity?: Sensitivity) =>
    store.db.transaction(() =>
      own.writer(now).records.put({ kind, id, body: { place }, scope: { agent: 'a', sensitivity } }),
    )
  const guest = (scope: string) => {
    const reach = readReach({ scope })
    if (!reach) throw new Error('no scope')
    const caller: Caller = {
      role: 'guest',
      token: 't',
      agent: 'g',
      reach,
      permissions: ['read'],
    }
    return accessOf(caller).reader
  }
  return { sealer, store, own, put, guest }
}

const codeOf = (work: () => unknown) => {
  try {
    return work()
  } catch (error) {
    return isDaybookError(error) ? error.code : error
  }
}

test('a kind may be sensitive as a whole; a record may say otherwise, and keeps what it said', () => {
  const { store, put } = open()
  put('diary', 'one', 'home')
  put('diary', 'two', 'home', 'public')
  put('diary', 'two', 'away')
  const kidOf = (id: string) => store.records.row(id)?.kid
  expect([typeof kidOf('one'), kidOf('two'), store.records.row('two')?.sensitivity]).toEqual([
    'string',
    null,
    'public',
  ])
  expect(codeOf(() => put('rule', 'three', 'x', 'sensitive'))).toBe('invalid-input')
  expect(store.records.row('three')).toBeUndefined()
})

test('a guest reaches of sealed records what it reaches of others, and of locked ones nothing but by the whole book', () => {
  const { sealer, put, guest } = open()
  put('diary', 'one', 'home')
  expect([guest('diary:home').get('one')?.['place'], guest('diary:away').get('one')]).toEqual([
    'home',
    undefined,
  ])
  expect(guest('diary:home').history('one')).toHaveLength(1)
  sealer.keys = []
  for (const scope of ['diary:home', 'diary', 'diary:**', 'agent:a']) {
    expect(guest(scope).get('one'), scope).toBeUndefined()
    expect(guest(scope).history('one'), scope).toEqual([])
  }
  expect(codeOf(() => guest('**').get('one'))).toBe('locked')
  expect(guest('**').history('one')).toEqual([])
})
