// What somebody with less than the owner's rights can do to a book over HTTP as a device.
import { expect, it } from 'vitest'
import { makeTrace } from '../../support/trace.ts'
import { type GuestHost, openGuestWorld, type Result, sealed, trace } from './guest-world.ts'

const at = '2026-01-01T00:00:00.000Z'
const later = '2026-01-02T00:00:00.000Z'
const note = (from: string, text = 'Pay') => ({
  to: 'tutor',
  text,
  from,
  sentAt: at,
  deliveredTo: [],
  acknowledgedBy: [],
})
const skill = (name: string) => ({
  name,
  description: '',
  learned_from: {
    traces: [],
    explicit_training: false,
  },
  definition: {
    triggers: [],
    preconditions: [],
    procedure: 'p',
  },
  maturity: {
    level: 'novice',
    success_rate: 0,
    usage_count: 0,
  },
})

const told = ({ s, error }: Result) => [error?.code ?? s, error?.details.path]
export function guestSyncCases(host: GuestHost): void {
  it('K7 does not unseal, nor lower otherwise, by verb or as a device', async () => {
    const world = openGuestWorld(host)
    const owner = await world.owner()
    const restricted = { id: 'sealed', kind: 'trace', sensitivity: 'restricted', enc: sealed }
    await owner.sync([restricted, { id: 'open', kind: 'trace', body: trace('before') }])
    const guest = await world.guest({ permissions: ['read', 'write', 'forget', 'sync'] })
    const before = await world.records()
    const overwrite = (id: string, sensitivity: string) => ({
      ...makeTrace({ id, sensitivity } as object),
      replace: true,
    })
    const refused = [
      await guest.run('kstar:store_trace', overwrite('sealed', 'standard')),
      await guest.run('kstar:store_traces', { traces: [overwrite('sealed', 'sensitive')] }),
      await guest.run('kstar:store_trace', overwrite('open', 'public')),
      await guest.run('kstar:set_sensitivity', { id: 'open', sensitivity: 'public' }),
    ]
    for (const { status, text } of refused)
      expect([status, (JSON.parse(text) as { details: object }).details]).toEqual([
        403,
        { path: 'sensitivity' },
      ])
    const { results } = await guest.sync([
      { id: 'sealed', kind: 'trace', base: 1, body: trace('in clear') },
      { id: 'sealed', kind: 'trace', base: 1, sensitivity: 'sensitive', enc: sealed },
      { id: 'open', kind: 'trace', base: 1, sensitivity: 'public', body: trace('after') },
      {
        id: 'open',
        kind: 'trace',
        base: 0,
        sensitivity: 'public',
        policy: 'local_wins',
        body: trace('late'),
      },
      { id: 'sealed', kind: 'trace', base: 0, policy: 'local_wins', body: trace('late') },
    ])
    expect(results.map(told)).toEqual([
      ['forbidden', 'sensitivity'],
      ['forbidden', 'sensitivity'],
      ['forbidden', 'sensitivity'],
      // What did not know of the present version is decided as a conflict, and never for the lower one.
      ['conflict', undefined],
      ['conflict', undefined],
    ])
    expect([...(await world.records()).values()]).toEqual([...before.values()])
    // The owner may.
    const lowered = await owner.sync([{ id: 'sealed', kind: 'trace', base: 1, body: trace('in clear') }])
    expect(lowered.results.map(told)).toEqual([['ok', undefined]])
  })

  it('as a device says no more of a record than by verb: what is pinned, personal or kept is the owner’s', async () => {
    const world = openGuestWorld(host)
    const owner = await world.owner()
    const mark = (record: string, said: object, more: object = {}) => ({
      id: `mark::${record}`,
      kind: 'mark',
      body: { record, ...said },
      ...more,
    })
    await owner.sync([
      { id: 'one', kind: 'trace', body: trace('one') },
      { id: 'two', kind: 'trace', body: trace('two') },
      { id: 'hidden', kind: 'skill', body: skill('hidden') },
      mark('one', { pinned: true }),
    ])
    const guest = await world.guest({ permissions: ['sync'], push: ['mark'], pull: ['trace', 'mark'] })
    const { results } = await guest.sync([
      mark('two', { keep: true }),
      mark('two', { importance: 0.9 }),
      mark('one', { importance: 0.9 }, { base: 1 }),
      mark('one', { pinned: true, importance: 0.9, collection: 'Own' }, { base: 1 }),
      mark('one', { importance: 0.1 }, { base: 0, policy: 'local_wins' }),
      mark('hidden', { importance: 0.1 }),
      mark('free', { importance: 0.1 }),
    ])
    expect(results.map(told)).toEqual([
      ['forbidden', 'body.keep'],
      ['ok', undefined],
      ['forbidden', 'body.pinned'],
      ['ok', undefined],
      ['conflict', undefined],
      ['not-found', 'body.record'],
      ['not-found', 'body.record'],
    ])
    expect((await world.records()).get('mark::one')?.body).toMatchObject({ pinned: true, importance: 0.9 })
    const forgetful = await world.guest({
      name: 'forgetful',
      permissions: ['sync', 'forget'],
      push: ['mark', 'trace'],
      pull: ['trace', 'mark'],
    })
    await owner.sync([mark('hidden', { importance: 0.5 })])
    const gone = (record: string, kind: string, base: number) => ({ id: record, kind, base, op: 'forget' })
    const { results: forgotten } = await forgetful.sync([
      gone('mark::one', 'mark', 2),
      gone('mark::hidden', 'mark', 1),
      gone('mark::two', 'mark', 1),
      gone('one', 'trace', 1),
      gone('mark::one', 'mark', 2),
    ])
    expect(forgotten.map(told)).toEqual([
      ['forbidden', 'body.pinned'],
      ['not-found', 'id'],
      ['ok', undefined],
      ['ok', undefined],
      ['ok', undefined],
    ])
  })

  it('K4 as a device that only sends learns nothing of what is there, and changes nothing of it', async () => {
    const world = openGuestWorld(host)
    const owner = await world.owner()
    const put = (id: string, kind: string, body: object) => ({ id, kind, body })
    await owner.sync([
      put('a-trace', 'trace', trace('own')),
      put('a-fact', 'fact', { schema: 's', data: {}, source: 'x', verified: false }),
      put('gone', 'trace', trace('gone')),
    ])
    await owner.done('kstar:forget', { id: 'gone' })
    const before = await world.records()
    const attack = (id: string) => [
      { id, kind: 'trace', body: trace('one') },
      { id, kind: 'trace', base: 1, body: trace('two'), policy: 'local_wins' },
      { id, kind: 'trace', op: 'forget', base: 2 },
      { id, kind: 'perception', body: { content: 'c', confidence: 1 } },
    ]
    for (const permissions of [['sync'], ['sync', 'forget']]) {
      const seen = []
      for (const id of ['free', 'a-trace', 'a-fact', 'gone']) {
        const push = ['trace', 'perception']
        const guest = await world.guest({
          name: `s-${permissions.length}-${id}`,
          permissions,
          push,
          pull: [],
        })
        const { results, changes } = await guest.sync(
          attack(id === 'free' ? `free-${permissions.length}` : id),
        )
        expect(changes).toEqual([])
        seen.push(
          JSON.stringify(results.map((one) => ({ ...one, seq: undefined }))).replaceAll(
            /free-\d|a-trace|a-fact|gone/g,
            '#',
          ),
        )
      }
      for (const one of seen) expect(one).toBe(seen[0])
    }
    const after = await world.records()
    for (const [id, record] of before) expect(after.get(id)).toEqual(record)
    // What it sent is there all the same, in its own name.
    expect([...after.values()].filter(({ agent }) => agent.startsWith('s-')).length).toBeGreaterThan(3)
  })

  it('K5 as a device forgets with that permission only, and makes no tombstone of what is not there', async () => {
    const world = openGuestWorld(host)
    const owner = await world.owner()
    await owner.sync([{ id: 'theirs', kind: 'trace', body: trace('own') }])
    const forget = (id: string, kind = 'trace', base = 1) => ({ id, kind, op: 'forget', base })
    const sensor = await world.guest({ permissions: ['sync'] })
    expect((await sensor.sync([forget('theirs'), forget('free')])).results.map(told)).toEqual([
      ['forbidden', 'op'],
      ['forbidden', 'op'],
    ])
    const guest = await world.guest({ permissions: ['sync', 'forget'] })
    const ops = [forget('free'), forget('skill::grade', 'trace', 0), forget('theirs')]
    expect((await guest.sync(ops)).results.map(told)).toEqual([
      ['not-found', 'id'],
      ['not-found', 'id'],
      ['ok', undefined],
    ])
    const records = await world.records()
    expect([records.has('free'), records.has('skill::grade')]).toEqual([false, false])
    expect((await owner.done<{ id: string }>('kstar:store_skill', skill('grade'))).id).toBe('skill::grade')
    const { conflicts } = await owner.done<{ conflicts: object[] }>('daybook:list_conflicts', {
      record: 'theirs',
    })
    expect(conflicts).toMatchObject([{ loser: { op: 'put', body: trace('own') }, winner: { op: 'forget' } }])
  })

  it('K6 as a device gives no record an id that other kinds have, and a purge frees one that has it', async () => {
    const world = openGuestWorld(host)
    const owner = await world.owner()
    const guest = await world.guest({ permissions: ['sync'] })
    const ids = ['message', 'profile', 'episode', 'answer', 'access_key', 'token'].map((kind) => `${kind}::1`)
    const { results } = await guest.sync(
      ['skill::grade', ...ids, 'inbox::boss::1'].map((id) => ({ id, kind: 'trace', body: trace() })),
    )
    for (const result of results) expect(told(result)).toEqual(['forbidden', 'id'])
    // As it could be done before, and as the owner still can.
    await owner.sync([{ id: 'skill::grade', kind: 'trace', body: trace() }])
    expect((await owner.run('kstar:store_skill', skill('grade'))).status).toBe(409)
    await owner.done('kstar:purge', { id: 'skill::grade' })
    await owner.done('kstar:store_skill', skill('grade'))
    const phone = await owner.sync([{ id: 'skill::plan', kind: 'trace', op: 'forget', base: 0 }])
    const pushed = await owner.sync([{ id: 'skill::plan', kind: 'skill', body: skill('plan') }])
    expect([...phone.results, ...pushed.results].map(told)).toEqual([
      ['ok', undefined],
      ['ok', undefined],
    ])
    expect((await world.records()).get('skill::plan')).toMatchObject({ kind: 'skill', op: 'put' })
  })

  it('K6 as a device speaks in its own name, and leaves the words of others as they are', async () => {
    const world = openGuestWorld(host)
    const owner = await world.owner()
    await owner.sync([{ id: 'from-boss', kind: 'inbox', body: note('boss') }])
    const guest = await world.guest({ permissions: ['sync'] })
    const put = (id: string, body: object, base = 0) => ({ id, kind: 'inbox', base, body })
    const { results } = await guest.sync([
      { ...put('m-1', note('boss')), agent: 'boss' },
      { ...put('m-2', note('sensor')), agent: 'boss' },
      put('from-boss', note('boss', 'Pay twice'), 1),
      put('from-boss', note('sensor'), 1),
      put('m-2', note('boss'), 1),
      { id: 'm-3', kind: 'inbox', sensitivity: 'restricted', enc: sealed },
      put('inbox::boss::k', note('sensor')),
      put('from-boss', { ...note('boss'), deliveredTo: ['tutor'] }, 1),
      { id: 't-1', kind: 'trace', agent: 'boss', body: trace() },
    ])
    expect(results.map(told)).toEqual([
      ['forbidden', 'body.from'],
      ['conflict', undefined],
      ['forbidden', 'body.from'],
      ['forbidden', 'body.from'],
      ['forbidden', 'body.from'],
      ['forbidden', 'enc'],
      ['forbidden', 'id'],
      ['ok', undefined],
      ['conflict', undefined],
    ])
    // It may fetch these, so it is shown whose they are.
    expect([results[1], results[8]]).toMatchObject([
      { s: 'conflict', policy: 'remote_wins', current: { id: 'm-2', agent: 'sensor' } },
      { s: 'conflict', policy: 'remote_wins', current: { id: 't-1', agent: 'sensor' } },
    ])
    const records = await world.records()
    expect([records.get('m-2')?.agent, records.get('t-1')?.agent]).toEqual(['sensor', 'sensor'])
    expect(records.get('from-boss')).toMatchObject({ agent: 'tester', body: { from: 'boss', text: 'Pay' } })
  })

  it('K7 as a device leaves what it overwrites of others in the conflict log, and seals nothing for them', async () => {
    const world = openGuestWorld(host)
    const owner = await world.owner()
    await owner.sync([{ id: 'theirs', kind: 'trace', body: trace('own') }])
    const guest = await world.guest({ permissions: ['sync'] })
    const put = (base: number, goal: string) => ({
      id: 'theirs',
      kind: 'trace',
      base,
      at: later,
      body: trace(goal),
    })
    const sealing = { id: 'theirs', kind: 'trace', base: 1, sensitivity: 'restricted', enc: sealed }
    const { results } = await guest.sync([
      sealing,
      // Sealed content is enough, whatever the op says of its sensitivity.
      { id: 'theirs', kind: 'trace', base: 1, enc: sealed },
      put(1, 'new'),
      { id: 'mine', kind: 'trace', body: trace() },
    ])
    expect(results.map(told)).toEqual([
      ['forbidden', 'sensitivity'],
      ['forbidden', 'sensitivity'],
      ['ok', undefined],
      ['ok', undefined],
    ])
    await guest.sync([{ id: 'mine', kind: 'trace', base: 1, body: trace('again') }])
    const { conflicts } = await owner.done<{ conflicts: object[] }>('daybook:list_conflicts')
    expect(conflicts).toMatchObject([
      { record: 'theirs', loser: { body: trace('own') }, winner: { body: trace('new') }, state: 'settled' },
    ])
  })
}
