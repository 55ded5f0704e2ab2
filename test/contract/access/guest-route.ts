// What somebody with less than the owner's rights is told over HTTP of ids and names that others have.
import { expect, it } from 'vitest'
import { makeTrace } from '../../support/trace.ts'
import { type GuestHost, openGuestWorld, type Result, sealed, trace } from './guest-world.ts'

/** An answer without what is new in every answer: ids, times, and the id that was asked for. */
const unnamed = ({ status, text }: { status: number; text: string }, asked: string) => [
  status,
  text
    .replaceAll(asked, '#')
    .replaceAll(/"id":"[^"]*"/g, '"id":"#"')
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '#')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '#'),
]

const told = ({ s, error }: Result) => [error?.code ?? s, error?.details.path]

export function guestRouteCases(host: GuestHost): void {
  it('answers the same for an id that is taken out of its sight, that was taken, and that is free', async () => {
    const world = openGuestWorld(host)
    const owner = await world.owner()
    const put = (id: string, kind: string, body: object) => ({ id, kind, body, resource: 'course:CS102' })
    await owner.sync([
      put('hidden-1', 'trace', trace()),
      put('hidden-2', 'fact', { schema: 's', data: {}, source: 'x', verified: false }),
      put('gone-000', 'trace', trace()),
      { ...put('hidden-3', 'trace', trace()), enc: sealed, body: undefined, sensitivity: 'restricted' },
    ])
    await owner.done('kstar:forget', { id: 'gone-000' })
    const permissions = ['read', 'write', 'forget']
    const guest = await world.guest({ permissions, scope: 'course:CS101', holder: 'grader' })
    const fact = { schema: 's', data: {} }
    const perception = { content: 'c', confidence: 1, subject: 's' }
    const { task, action, situation } = trace()
    const calls: [string, (id: string) => object][] = [
      ['kstar:store_trace', (id) => ({ id, task, action, situation })],
      ['kstar:store_traces', (id) => ({ traces: [makeTrace(), makeTrace({ id })] })],
      ['kstar:store_fact', (id) => ({ id, ...fact })],
      ['kstar:store_fact', (id) => ({ ...fact, supersedes: id })],
      ['kstar:supersede_fact', (id) => ({ id, data: {} })],
      ['kstar:store_perception', (id) => ({ id, ...perception })],
      ['kstar:store_perception', (id) => ({ ...perception, evidence: [id] })],
      ['kstar:update_perception', (id) => ({ id, updates: { content: 'x' } })],
      ['kstar:complete_trace', (id) => ({ id, result: { success: true } })],
      ['kstar:get_record', (id) => ({ id })],
      ['kstar:get_trace', (id) => ({ id })],
      ['kstar:history', (id) => ({ id })],
      ['kstar:linked_traces', (id) => ({ id })],
      ['kstar:restore', (id) => ({ id, version: 1 })],
      ['kstar:set_sensitivity', (id) => ({ id, sensitivity: 'public' })],
      ['kstar:forget', (id) => ({ id })],
      ['kstar:forget', (id) => ({ id, cascade: true })],
      ['kstar:purge', (id) => ({ id })],
      ['ks:delete_message', (id) => ({ id })],
      ['ks:delete_episode', (id) => ({ id })],
      ['ks:cache_answer', (id) => ({ question: 'q', answer: 'a', records: [id] })],
      ['recall:use', (id) => ({ ids: [id] })],
      ['inbox:acknowledge', (id) => ({ ids: [id] })],
    ]
    const before = await world.records()
    for (const [n, [verb, input]] of calls.entries()) {
      const answers = []
      for (const id of ['free-000', 'hidden-1', 'hidden-2', 'hidden-3', 'gone-000'])
        answers.push([
          verb,
          unnamed(await guest.run(verb, input(id), { 'idempotency-key': `${n}-${id}` }), id),
        ])
      for (const answer of answers) expect(answer).toEqual(answers[0])
      expect(JSON.stringify(answers)).not.toContain('invalid-input')
    }
    const after = await world.records()
    for (const [id, record] of before) expect(after.get(id)).toEqual(record)
    expect(after.has('free-000')).toBe(false)
  })

  it('answers the same for a name that is taken out of its sight and for a free one, and keeps both', async () => {
    const world = openGuestWorld(host)
    const owner = await world.owner()
    const elsewhere = { resource: 'course:CS102' }
    const said = (id: string, content: string) => ({ id, content, source: { type: 'User', id: 'ann' } })
    await owner.done('kstar:store_skill', { name: 'taken', definition: { procedure: 'own' }, ...elsewhere })
    await owner.done('ks:store', { agent: 'grader', ...elsewhere, message: said('taken', 'own words') })
    const profile = (user: string, home: string) => ({
      user_id: user,
      history: [{ content: `I live in ${home}.`, source: { User: user } }],
    })
    await owner.done('ks:update_profile', { agent: 'grader', ...profile('taken', 'Riga') })
    await owner.done('inbox:send', { from: 'grader', to: 'boss', text: 'own', key: 'taken' })
    const guest = await world.guest({
      permissions: ['read', 'write', 'forget'],
      scope: 'course:CS101',
      holder: 'grader',
    })
    const post = await world.guest({ permissions: ['inbox:send'], scope: 'inbox:tutor', holder: 'grader' })
    const calls: [string, (name: string) => object][] = [
      ['kstar:get_skill', (name) => ({ skillName: name })],
      ['kstar:update_skill_maturity', (name) => ({ skillName: name, outcome: true })],
      ['kstar:store_skill', (name) => ({ name, definition: { procedure: 'mine' } })],
      ['kstar:store_skill', (name) => ({ name, definition: { procedure: 'again' } })],
      ['kstar:get_skill', (name) => ({ skillName: name })],
      ['kstar:update_skill_maturity', (name) => ({ skillName: name, outcome: true })],
      ['ks:store', (name) => ({ message: said(name, 'my words') })],
      ['ks:store', (name) => ({ message: said(name, 'my words') })],
      ['ks:delete_message', (name) => ({ id: name })],
      ['ks:update_profile', (name) => profile(name, 'Oslo')],
      ['ks:get_profile', (name) => ({ user_id: name })],
    ]
    for (const [verb, input] of calls) {
      const [free, taken] = [await guest.run(verb, input('free')), await guest.run(verb, input('taken'))]
      expect([verb, unnamed(taken, 'taken')]).toEqual([verb, unnamed(free, 'free')])
    }
    for (const sent of [true, false]) {
      for (const key of ['free', 'taken'])
        expect(await post.done('inbox:send', { to: 'tutor', text: 'mine', key })).toMatchObject({ sent })
    }
    const all = JSON.stringify([...(await world.records()).values()])
    for (const own of ['"procedure":"own"', 'own words', 'Riga', '"text":"own"']) expect(all).toContain(own)
    for (const own of ['"procedure":"mine"', 'Oslo', '"text":"mine"']) expect(all).toContain(own)
    expect(await owner.done('kstar:get_skill', { skillName: 'taken' })).toMatchObject({
      definition: { procedure: 'own' },
    })
  })

  it('K8 as a device sends nothing that the mirror can not check, whatever version it says', async () => {
    const world = openGuestWorld(host)
    const owner = await world.owner()
    const guest = await world.guest({ permissions: ['write', 'sync'] })
    const wrong = { id: 'poison', kind: 'trace', body: { x: 1 } }
    const sent = [
      wrong,
      { ...wrong, v: 99 },
      { ...wrong, v: 0 },
      { ...wrong, kind: 'kind_of_tomorrow' },
      ...['pool_ballot', 'pool_claw', 'pool_proposal', 'mark'].map((kind) => ({
        ...wrong,
        kind,
        v: 1,
        body: {},
      })),
    ]
    for (const schema of [0, 100_000]) {
      const { results } = await guest.sync(sent, {}, schema)
      expect(results.map(({ s, error }) => [s, error?.code === 'internal'])).toEqual(
        sent.map(() => ['rejected', false]),
      )
      expect(results.slice(1, 3).map(told)).toEqual([
        ['server-too-old', 'v'],
        ['server-too-old', 'v'],
      ])
    }
    // An owner's device hands on what it does not know (V2).
    const { results } = await owner.sync([{ ...wrong, id: 'of-tomorrow', v: 99 }])
    expect(results.map(told)).toEqual([['ok', undefined]])
    expect([...(await world.records()).keys()]).toContain('of-tomorrow')
    expect([...(await world.records()).keys()]).not.toContain('poison')
  })
}
