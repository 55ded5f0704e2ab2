// Four claws: one reads logs, one a database, one knows runbooks, one coordinates. What they find out together becomes a fact
// that each of them recalls. Whatever carries their envelopes, the story is the same.
import { expect } from 'vitest'

/** A claw of the story: a book on some host, opened with some carrier. */
export interface StoryClaw {
  call(id: string, input: object): Promise<unknown>
}

export interface Story {
  readonly claws: readonly [StoryClaw, StoryClaw, StoryClaw, StoryClaw]
  /** Lets envelopes travel until `isSo`; fails when that never comes. */
  until(isSo: () => Promise<boolean>): Promise<void>
}

type Answer = Readonly<Record<string, never>>

export async function tellStory({ claws, until }: Story): Promise<void> {
  const [logs, database, runbook, coordinator] = claws
  const ask = async <Found>(claw: StoryClaw, id: string, input: object) =>
    (await claw.call(id, input)) as Found
  const can: readonly (readonly [StoryClaw, string])[] = [
    [logs, 'logs.read:/var/log/app/*'],
    [database, 'db.read:orders,customers'],
    [runbook, 'incident.runbook:v2'],
  ]
  for (const [claw, capability] of can) await claw.call('pool:announce', { capabilities: [capability] })
  const found = async (capability: string) =>
    (
      await ask<{ claws: { clawId: string; matched: string[] }[] }>(coordinator, 'pool:who_can', {
        capability,
      })
    ).claws
  await until(async () => (await ask<{ active: number }>(coordinator, 'pool:claws', {})).active === 4)
  for (const [, capability] of can) await until(async () => (await found(capability)).length === 1)
  expect(await found('logs.read:/var/log/app/checkout.log')).toMatchObject([
    { matched: ['logs.read:/var/log/app/*'] },
  ])
  expect(await found('db.read:orders')).toMatchObject([{ matched: ['db.read:orders,customers'] }])
  expect(await found('db.write:orders')).toEqual([])

  const fact = { subject: 'E142 with a DB time-out', predicate: 'maps to', object: 'mitigation M7' }
  const { proposal } = await ask<{ proposal: string }>(coordinator, 'pool:propose', {
    statement: 'Error E142 with a DB time-out pattern maps to mitigation M7',
    tags: ['ops', 'runbook'],
    fact,
  })
  for (const claw of [logs, database, runbook]) {
    await until(
      async () =>
        (await ask<{ proposals: Answer[] }>(claw, 'pool:list_proposals', { proposal })).proposals.length ===
        1,
    )
    await claw.call('pool:vote', { proposal, vote: 'yes' })
  }
  for (const claw of claws) {
    const facts = async () => (await ask<{ facts: Answer[] }>(claw, 'pool:facts', { versions: true })).facts
    await until(async () => (await facts()).length === 1)
    expect(await facts()).toMatchObject([
      { ...fact, version: 1, votes: { yes: 3, no: 0 }, versions: [{ proposal }] },
    ])
    const { hits } = await ask<{ hits: Answer[] }>(claw, 'daybook:recall', { text: 'E142 time-out' })
    expect(hits).toMatchObject([
      { record: { kind: 'pool_fact' }, because: { pool: { votes: { yes: 3 }, version: 1 } } },
    ])
    const context = await ask<{ items: Answer[] }>(claw, 'recall:context', { text: 'E142 time-out' })
    expect(context.items).toMatchObject([{ lane: 'pool', kind: 'pool_fact' }])
  }
}
