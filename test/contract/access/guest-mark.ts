// Marks of records that somebody may not read, over HTTP: as a device, by verbs and by tools.
import { expect, it } from 'vitest'
import { type GuestHost, openGuestWorld, trace } from './guest-world.ts'

const belief = { type: 'note', content: 'c', confidence: 1, evidence: [] }
const mark = (record: string, collection = `Of/${record}`) => ({
  id: `mark::${record}`,
  kind: 'mark',
  body: { record, collection },
})

/** A book with a trace, a perception, a memory and a proposal, each of them marked, and a mark of what is not there. */
async function marked(host: GuestHost) {
  const world = openGuestWorld(host)
  const owner = await world.owner()
  const helper = await world.guest({ name: 'helper', permissions: ['propose'] })
  const idea = { content: 'Likes pepper.', category: 'a2p:preferences.food' }
  const { id: memory } = await owner.done<{ id: string }>('a2p:store_memory', idea)
  const { id: proposal } = await helper.done<{ id: string }>('a2p:propose', {
    ...idea,
    content: 'Likes salt.',
  })
  await owner.sync([
    { id: 'a-trace', kind: 'trace', body: trace() },
    { id: 'belief', kind: 'perception', body: belief },
    ...['a-trace', 'belief', memory, proposal, 'nobody'].map((record) => mark(record)),
  ])
  const hidden = [memory, proposal, 'nobody']
  /** The marks that a device is given, what it is told of others, and whether its digest is of that. */
  const given = async (input: object) => {
    const guest = await world.guest({ permissions: ['sync'], ...input })
    const answer = await guest.sync([])
    const places = answer.changes.map(({ seq }) => seq)
    const squares = places.reduce((sum, place) => sum + (place % 65_521) ** 2, 0)
    const sum = places.reduce((all, place) => all + place, 0)
    expect(answer.digest).toMatchObject({
      n: places.length,
      x: `${sum.toString(36)}.${squares.toString(36)}`,
    })
    const text = JSON.stringify(answer)
    const told = hidden.filter((id) => text.includes(id))
    return [answer.changes.flatMap(({ id, kind }) => (kind === 'mark' ? [id] : [])).toSorted(), told]
  }
  return { world, owner, memory, proposal, hidden, given }
}

export function guestMarkCases(host: GuestHost): void {
  it('K10 as a device is given the marks of what it may fetch and of nothing else, also once they are gone', async () => {
    const { owner, hidden, given } = await marked(host)
    expect(await given({ name: 'all' })).toEqual([['mark::a-trace', 'mark::belief'], []])
    expect(await given({ name: 'some', pull: ['perception', 'mark'] })).toEqual([['mark::belief'], []])
    for (const pull of [['mark'], ['mark', 'memory'], ['perception']])
      expect(await given({ name: `p-${pull.join('-')}`, pull })).toEqual([[], []])
    for (const id of ['belief', ...hidden]) await owner.run('kstar:forget', { id })
    await owner.sync([{ id: 'mark::nobody', kind: 'mark', op: 'forget', base: 1 }])
    expect(await given({ name: 'later' })).toEqual([['mark::a-trace', 'mark::belief'], []])
    expect(await given({ name: 'less', pull: ['trace', 'mark'] })).toEqual([['mark::a-trace'], []])
  })

  it('K4 as a device is shown no mark of what it may not fetch by sending one', async () => {
    const { world, memory, hidden } = await marked(host)
    const guest = await world.guest({ permissions: ['sync', 'forget'] })
    const before = await world.records()
    for (const id of [...hidden, 'free']) {
      const { results } = await guest.sync([
        { ...mark(id, 'Mine'), base: 0 },
        { ...mark(id, 'Mine too'), base: 7 },
        { ...mark(id, 'Mine'), base: 1, policy: 'local_wins' },
      ])
      const said = JSON.stringify(results)
      expect([id, said.includes('Of/'), /"agent":"tester"/.test(said)]).toEqual([id, false, false])
    }
    expect(
      (await guest.sync([{ id: `mark::${memory}`, kind: 'mark', op: 'forget', base: 1 }])).results,
    ).toMatchObject([{ s: 'rejected', error: { code: 'not-found' } }])
    const after = await world.records()
    for (const id of hidden) expect(after.get(`mark::${id}`)).toEqual(before.get(`mark::${id}`))
    // Of what it may fetch it is.
    const { results } = await guest.sync([{ ...mark('belief', 'Mine'), base: 0 }])
    expect(results).toMatchObject([{ s: 'conflict', current: { body: { collection: 'Of/belief' } } }])
  })

  it('a scope that names marks gives those of what it reaches, by no verb or tool any other', async () => {
    const { world, owner, memory, hidden } = await marked(host)
    await owner.sync([{ id: 'gone', kind: 'trace', body: trace() }])
    await owner.done('kstar:forget', { id: 'gone' })
    // From a device that has not heard of it.
    await owner.sync([mark('gone')])
    const all = ['a-trace', 'belief', 'gone', ...hidden]
    const permissions = ['read', 'export']
    const scopes: [scope: object, seen: string[]][] = [
      [{ scope: 'mark' }, []],
      [{ scope: 'mark:**' }, []],
      [{ scope: 'trace:**', allow: ['mark'] }, ['a-trace']],
      [{ scope: '**', deny: ['perception', 'memory', 'a2p'] }, ['a-trace']],
      [{ scope: '**' }, ['a-trace', 'belief']],
    ]
    for (const [scope, seen] of scopes) {
      const reader = await world.guest({ name: 'reader', permissions, ...scope })
      const ids = all.filter((id) => !seen.includes(id))
      const answers = [
        await reader.run('kstar:query_memory', { kind: 'mark' }),
        await reader.run('kstar:query_memory', { filters: { 'marks.collection': { exists: true } } }),
        await reader.run('kstar:search_memory', { query: 'Of' }),
        await reader.run('mark:list', {}),
        await reader.run('daybook:recall', { text: 'Of belief' }),
        await reader.run('access:reach', {}),
        await reader.run('bundle:export', {}),
        await reader.run('daybook:list_conflicts', {}),
        ...(await Promise.all(ids.map((id) => reader.run('kstar:get_record', { id: `mark::${id}` })))),
      ]
      const text = JSON.stringify([
        answers.map((one) => one.text),
        await reader.callTool('query_memory', { kind: 'mark' }),
      ])
      expect([scope, all.filter((id) => text.includes(`Of/${id}`))]).toEqual([scope, seen])
      expect([scope, ids.filter((id) => text.includes(`mark::${id}`))]).toEqual([scope, []])
      const { total } = await reader.done<{ total: number }>('kstar:count_memory', { kind: 'mark' })
      expect([scope, total]).toEqual([scope, seen.length])
      for (const id of [memory, 'gone'])
        expect((await reader.run('kstar:history', { id: `mark::${id}` })).status).toBe(404)
    }
  })
}
