// A pool of five agents for the tests of the inspector, made in the page's own book out of envelopes as other books send them.
import type { Daybook } from '../../../src/book/daybook.ts'

/** As source text it runs in the page, so it needs nothing from outside. */
export async function fillPool(book: Daybook): Promise<void> {
  let serial = 0
  const take = (clawId: string, type: string, payload: object, more: object = {}) =>
    book.pool.takeIn({
      envelope: {
        schemaVersion: 'v1',
        type,
        traceId: 'tr-test',
        timestamp: new Date().toISOString(),
        idempotencyKey: `test:${(serial += 1)}`,
        clawId,
        instanceId: `${clawId}#1`,
        payload,
        ...more,
      },
    })
  const present = (claw: string, status = 'active', ago = 0) =>
    take(claw, 'presence', {
      group: 'daybook',
      status,
      updatedAt: new Date(Date.now() - ago).toISOString(),
    })
  const can = (claw: string, displayName: string, capabilities: string[]) =>
    take(claw, 'capabilities', {
      group: 'daybook',
      displayName,
      capabilities,
      updatedAt: new Date().toISOString(),
    })
  const voteOn = (claw: string, proposalId: string, vote: string, reason?: string) =>
    take(claw, 'vote', { proposalId, vote, n: 1, ...(reason === undefined ? {} : { reason }) })
  const propose = (claw: string, proposalId: string, statement: string, fact: object) =>
    take(claw, 'proposal', {
      proposalId,
      group: 'daybook',
      statement,
      tags: ['ops', 'runbook'],
      expiresAt: new Date(Date.now() + 86_000_000).toISOString(),
      fact,
    })

  await book.pool.configure({ verify: 'off', admission: 'anyone' })
  await can('logs@ops', 'Log reader', ['logs.read:/var/log/app/*'])
  await can('db@ops', 'Database', ['db.read:orders,customers', 'db.explain:*'])
  await can('runbook@ops', 'Runbooks', ['incident.runbook:v2'])
  await present('logs@ops')
  await present('db@ops')
  await present('runbook@ops')
  await present('old@ops', 'active', 200_000)
  await present('leaving@ops', 'stopping')

  const made = async (fact: string) => {
    for (let i = 0; i < 200; i += 1) {
      const { facts } = await book.pool.facts({ versions: true })
      const found = facts.find(({ object }) => object === fact)
      if (found) return found
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    throw new Error(`“${fact}” never became a fact.`)
  }
  // A fact of two versions, decided by this book.
  const say = { subject: 'E142 with a DB time-out', predicate: 'maps to', object: 'mitigation M7' }
  const first = await book.pool.propose({ statement: 'E142 maps to M7', tags: ['ops'], fact: say })
  for (const claw of ['logs@ops', 'db@ops', 'runbook@ops'])
    await voteOn(claw, first.proposal, 'yes', 'Seen in the logs')
  const fact = await made('mitigation M7')
  const second = await book.pool.propose({
    title: 'Mitigation of E142',
    statement: 'E142 maps to M9 since the pool was enlarged',
    tags: ['ops', 'runbook'],
    fact: { ...say, id: fact.fact, object: 'mitigation M9' },
  })
  await voteOn('logs@ops', second.proposal, 'no', 'M7 still works for me')
  for (const claw of ['db@ops', 'runbook@ops']) await voteOn(claw, second.proposal, 'yes')
  await take('logs@ops', 'vote', {
    proposalId: second.proposal,
    vote: 'yes',
    n: 2,
    reason: 'M7 no longer works',
  })
  await made('mitigation M9')

  // Two open ones of others, on which this page may vote.
  await propose(
    'logs@ops',
    'kp-restart',
    'Restarting the checkout service clears E200, as seen in four of five incidents of this week.',
    {
      factId: 'kf-kp-restart',
      version: 1,
      subject: 'E200',
      predicate: 'is cleared by',
      object: 'a restart of checkout',
    },
  )
  await voteOn('runbook@ops', 'kp-restart', 'no', 'It came back within the hour in the fifth')
  await propose('runbook@ops', 'kp-index', 'Orders need an index on customer_id before the sale.', {
    factId: 'kf-kp-index',
    version: 1,
    subject: 'Table orders',
    predicate: 'needs',
    object: 'an index on customer_id',
  })
  // What is not taken in: too late, of another group, and nonsense.
  await voteOn('db@ops', first.proposal, 'no')
  await take('stray@dev', 'presence', { group: 'dev', status: 'active', updatedAt: new Date().toISOString() })
  await take('odd@ops', 'vote', { proposalId: 'kp-restart', vote: 'perhaps' })
}
