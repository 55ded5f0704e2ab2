// A proposal that changes after its decision: nothing is left to count.
import { expect, it } from 'vitest'
import { recordIds } from '../../../../src/core/text/name-id.ts'
import { PoolService } from '../../../../src/commons/pool/service/pool-service.ts'
import type { ServiceParts } from '../../../../src/core/capability/chapter.ts'

const now = 1_769_900_000_000
const at = new Date(now).toISOString()
const head = { agent: 'me', created_at: at, updated_at: at, ver: '1' }
const said = { claw: 'me@main', by: 'me', group: 'main', proposal: 'p1' }
const proposal = {
  ...head,
  ...said,
  kind: 'pool_proposal',
  id: recordIds.proposal('p1'),
  instance: 'me@main#1',
  trace: 'tr-test',
  statement: 'What is so.',
  tags: ['ops'],
  proposedAt: at,
  expiresAt: new Date(now + 60_000).toISOString(),
}
const counts = { outcome: 'approved', yes: 1, no: 0, reason: 'It is so.', decidedAt: at }
const decision = {
  ...head,
  ...said,
  ...counts,
  kind: 'pool_decision',
  id: recordIds.decision('p1'),
  proposal: proposal.id,
}

/** How many runs the service plans after the one that follows a change of the proposal. */
async function runsAfterChange(...stored: readonly { readonly id: string }[]): Promise<number> {
  let planned = 0
  const parts = {
    records: { get: (id: string) => stored.find((one) => one.id === id) },
    clock: { now: () => now },
    scheduler: {
      soon: (work: () => void) => work(),
      later: () => {
        planned += 1
        return () => undefined
      },
    },
    log: { warn: () => expect.unreachable() },
    isDevice: true,
    carriers: [],
    pool: {
      self: 'main',
      revision: 0,
      removedProposals: 0,
      presence: () => [],
      proposed: () => [],
      nextDue: () => undefined,
      waiting: () => [],
    },
    write: () => Promise.resolve(),
    tell: () => undefined,
  } as unknown as ServiceParts
  const service = new PoolService(parts)
  service.changed(proposal.id, proposal.kind)
  for (let turns = 0; turns < 10; turns++) await Promise.resolve()
  service.close()
  return planned
}

it('is counted again until it is decided, and not after that', async () => {
  expect(await runsAfterChange(proposal)).toBe(1)
  expect(await runsAfterChange(proposal, decision)).toBe(0)
})
