// What ends a grant travels at once and ahead of the queue, and nothing brings the grant back. And who may read the ledger.
import { globSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { kinds } from '../../../src/engine/capability-table.ts'
import { DaybookError } from '../../../src/core/errors.ts'
import { createEngine } from '../../../src/engine/engine.ts'
import { openNodeKeyring } from '../../../src/hosts/node/key/key-file.ts'
import { openNodeDatabase } from '../../../src/hosts/node/book/node-database.ts'
import { nodePorts } from '../../../src/hosts/node/port/node-ports.ts'
import { finalWinner } from '../../../src/sync/conflict/conflict-policy.ts'
import type { SyncRequest } from '../../../src/sync/wire/protocol.ts'
import { makeTrace } from '../../support/trace.ts'

it('sends a revocation at once, before all that waits', async () => {
  const requests: SyncRequest[] = []
  let told: (() => void) | undefined
  const engine = createEngine({
    db: openNodeDatabase({ path: ':memory:' }),
    ports: nodePorts,
    keys: openNodeKeyring(undefined),
    name: 'push',
    scope: { agent: 'owner' },
    durability: 'memory',
    carrier: {
      exchange(request) {
        requests.push(request as SyncRequest)
        told?.()
        return Promise.reject(new DaybookError('offline'))
      },
    },
  })
  const sent = () => new Promise<void>((resolve) => (told = resolve))
  for (let i = 0; i < 3; i++) await engine.call('kstar:store_trace', makeTrace())
  expect(requests).toEqual([])
  const first = sent()
  const granted = await engine.call('kstar:grant_control_token', {
    scope: '**',
    permissions: ['read'],
    granted_to: 'x',
    expires_at: '2099-01-01',
  })
  await first
  expect(requests[0]?.ops.map(({ kind }) => kind)).toEqual(['key', 'token', 'trace', 'trace', 'trace'])
  const { token } = granted as { token: { token_id: string } }
  const second = sent()
  await engine.call('kstar:revoke_control_token', { token_id: token.token_id, reason: 'over' })
  await second
  expect(requests.length).toBeGreaterThan(1)
  engine.close()
})

it('lets no put undo a revocation, whatever the policy', () => {
  const kind = kinds.get('token')
  const put = (revoked: boolean) => ({ op: 'put' as const, body: { revoked } })
  const forget = { op: 'forget' as const }
  expect(finalWinner(kind, put(true), put(false))).toBe('arriving')
  expect(finalWinner(kind, put(false), put(true))).toBe('present')
  expect(finalWinner(kind, put(true), put(true))).toBeUndefined()
  expect(finalWinner(kind, put(false), forget)).toBeUndefined()
  expect(finalWinner(kinds.get('trace'), put(false), put(true))).toBeUndefined()
})

it('keeps the ledger to the room of trust and the port of consent', () => {
  const users = globSync('src/{memory,commons,bundle,recall,sync,doors,hosts}/**/*.ts').filter((file) =>
    /\bledger\b/.test(readFileSync(file, 'utf8')),
  )
  // A port reaches only the kinds of its own chapter there: policies and receipts.
  expect(users).toEqual(['src/memory/consent/policy/consent-port.ts'])
})
