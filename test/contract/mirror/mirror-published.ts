// What was published to a pool at the mirror and on other devices: it goes with its record on every copy, whoever forgot that.
import { expect, it } from 'vitest'
import { recordIds } from '../../../src/core/text/name-id.ts'
import { kinds } from '../../../src/engine/capability-table.ts'
import { createWorld, type DatabaseHost, type Site, type World } from './mirror-world.ts'

const word = 'Kreuzfahrtticket'
const at = '2026-01-01T00:00:00.000Z'
const source = 'perception-1'
const ids = [recordIds.proposal('kp-1'), recordIds.ballot('kp-1', 'claw-1'), recordIds.decision('kp-1')]
const fact = recordIds.fact('kf-1')
const [proposal = '', ballot = '', decision = ''] = ids

/** Two devices and a mirror that have what was published. */
async function published(world: World) {
  const [a, b] = [world.device('a'), world.device('b')]
  const spoken = { claw: 'claw-1', by: 'claw-1', group: 'daybook' }
  const said = { subject: 'orders', predicate: 'need', object: word, tags: ['ops'], publishedAt: at }
  await a.put('perception', source, {
    type: 'observation',
    subject: 'orders',
    content: word,
    confidence: 1,
    evidence: [],
  })
  await a.put('pool_proposal', proposal, {
    ...spoken,
    proposal: 'kp-1',
    instance: 'i',
    trace: 't',
    statement: word,
    tags: ['ops'],
    proposedAt: at,
    expiresAt: '2099-01-01T00:00:00.000Z',
    madeFrom: source,
  })
  const votes = { 1: { vote: 'yes', at, reason: word } }
  await a.put('pool_ballot', ballot, { ...spoken, proposal, votes, vote: 'yes', n: 1, castAt: at })
  const outcome = { outcome: 'approved', yes: 2, no: 0, reason: word, decidedAt: at }
  await a.put('pool_decision', decision, { ...spoken, proposal, ...outcome })
  const version = { ...said, proposal: 'kp-1', decision, source: 'claw-1', yes: 2, no: 0, madeFrom: source }
  await a.put('pool_fact', fact, {
    ...spoken,
    ...said,
    fact: 'kf-1',
    home: 'claw-1',
    homeDevice: 'd',
    versions: { 1: version },
    version: 1,
    votes: { yes: 2, no: 0 },
  })
  for (const site of [a, b]) await site.sync()
  world.clock.nowMs += 1000
  return [a, b] as const
}

const told = async (site: Site) => {
  const found: string[] = []
  for (const id of [source, ...ids, fact]) if (await site.get(id)) found.push(id)
  return found
}

export function publishedCases(host: DatabaseHost): void {
  const create = () => createWorld(host, { kindsAtMirror: kinds, kindsAt: { a: kinds, b: kinds } })

  it.each(['forget', 'purge'] as const)(
    'what was published of a record leaves every copy with it (%s)',
    async (way) => {
      const world = create()
      const [a, b] = await published(world)
      for (const site of [a, b, world.mirror]) expect(await told(site)).toHaveLength(5)
      await b[way](source)
      expect(await told(b)).toEqual([])
      for (const site of [b, a]) await site.sync()
      for (const site of [a, b, world.mirror]) {
        expect(await told(site)).toEqual([])
        const rows = await site.look(({ db }) =>
          db.all('SELECT body FROM records UNION ALL SELECT body FROM history'),
        )
        expect(JSON.stringify(rows)).not.toContain(word)
      }
    },
  )

  it('what was published of a record that the mirror itself forgets leaves the devices', async () => {
    const world = create()
    const [a, b] = await published(world)
    await world.mirror.forget(source)
    expect(await told(world.mirror)).toEqual([])
    for (const site of [a, b]) {
      await site.sync()
      expect(await told(site)).toEqual([])
    }
  })
}
