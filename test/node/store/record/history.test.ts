// How much of itself a record keeps: no version for what only counts, and a bound on the others that its size
// decides.
import { describe, expect, it } from 'vitest'
import { maxHistoryVersions } from '../../../../src/store/record/record-table.ts'
import { createWorld } from '../../../contract/mirror/mirror-world.ts'
import { openTestEngine } from '../../../support/test-engine.ts'
import { openNodeDatabase } from '../../../../src/hosts/node/book/node-database.ts'
import { createKinds } from '../../../../src/core/kind.ts'
import { makeKind } from '../../../support/test-store.ts'

interface Versions {
  readonly versions: readonly {
    readonly version: number
    readonly body?: Readonly<Record<string, unknown>>
  }[]
}

const historySize = 'SELECT count(*) AS n, total(octet_length(body)) AS bytes FROM history'

describe('the history of a record', () => {
  it('keeps ten versions of 1,000 uses of a skill of 20 KB, ever further apart', async () => {
    const { engine, db } = openTestEngine()
    const skill = { name: 'weed', definition: { procedure: 'p'.repeat(20_000) } }
    await engine.call('kstar:store_skill', skill)
    for (let i = 0; i < 1000; i++)
      await engine.call('kstar:update_skill_maturity', { skillName: 'weed', outcome: i % 4 > 0 })
    expect(db.get<{ n: number; bytes: number }>(historySize)).toMatchObject({ n: 10 })
    expect(db.all('SELECT version FROM history ORDER BY version').map(({ version }) => version)).toEqual([
      1, 2, 4, 8, 16, 32, 64, 128, 256, 512,
    ])
    expect(await engine.call('kstar:get_skill', { skillName: 'weed' })).toMatchObject({
      maturity: { usage_count: 1000, successes: 750, success_rate: 0.75, level: 'proficient' },
    })
    await engine.close()
  })

  it('has what a restore replaced, also where that differs in nothing but counts', async () => {
    const { engine } = openTestEngine()
    const skill = { name: 'weed', definition: { procedure: 'p' } }
    const { id } = (await engine.call('kstar:store_skill', skill)) as { id: string }
    for (const outcome of [true, false, true, true, true])
      await engine.call('kstar:update_skill_maturity', { skillName: 'weed', outcome })
    await engine.call('kstar:restore', { id, version: 2 })
    expect(await engine.call('kstar:get_record', { id })).toMatchObject({ maturity: { usage_count: 1 } })
    await engine.call('kstar:restore', { id, version: 6 })
    expect(await engine.call('kstar:get_record', { id })).toMatchObject({
      maturity: { usage_count: 5, successes: 4 },
    })
    await engine.close()
  })

  it('is bounded: the newest 100 versions, of a large record fewer, and never fewer than 10', async () => {
    expect([
      maxHistoryVersions(100),
      maxHistoryVersions(40_000),
      maxHistoryVersions(80_000),
      maxHistoryVersions(1_900_000),
    ]).toEqual([100, 100, 50, 10])
    const { engine } = openTestEngine()
    const { id } = (await engine.call('kstar:store_perception', { content: '0' })) as { id: string }
    const say = (content: string) => engine.call('kstar:update_perception', { id, updates: { content } })
    for (let i = 1; i <= 130; i++) await say(String(i))
    const { versions } = (await engine.call('kstar:history', { id })) as Versions
    expect(versions).toHaveLength(101)
    expect([versions[0]?.body?.['content'], versions.at(-1)?.body?.['content']]).toEqual(['30', '130'])
    await engine.call('kstar:restore', { id, version: versions[0]?.version })
    expect(await engine.call('kstar:get_record', { id })).toMatchObject({ content: '30' })
    await engine.close()
  })

  it('keeps what a change that waits was made on, until its answer came', async () => {
    const counted = makeKind({ name: 'merge', policy: 'merge', merge: { uses: 'counter' }, counts: ['uses'] })
    const kinds = createKinds([counted])
    const databases = new Map<string, ReturnType<typeof openNodeDatabase>>()
    const world = createWorld(
      {
        within(name, work) {
          const db = databases.get(name) ?? openNodeDatabase({ path: ':memory:' })
          databases.set(name, db)
          return Promise.resolve(work(db))
        },
        evict: () => Promise.resolve(),
      },
      { kindsAt: { a: kinds, b: kinds }, kindsAtMirror: kinds },
    )
    const [a, b] = [world.device('a'), world.device('b')]
    await a.put('merge', 'm-1', { text: 'x', uses: 0 })
    await a.sync()
    await b.sync()
    for (let uses = 1; uses <= 20; uses++) {
      await a.put('merge', 'm-1', { text: 'x', uses })
      await b.put('merge', 'm-1', { text: 'x', uses })
    }
    await a.sync()
    await b.sync()
    await a.sync()
    for (const site of [a, b, world.mirror]) expect(await site.get('m-1')).toMatchObject({ uses: 40 })
    await a.put('merge', 'm-1', { text: 'x', uses: 41 })
    await a.sync()
    await a.put('merge', 'm-1', { text: 'x', uses: 42 })
    const kept = await a.look(({ db }) => db.all('SELECT version FROM history ORDER BY version'))
    expect(
      kept.map(({ version }) => version).filter((n) => (Number(n) & (Number(n) - 1)) !== 0),
    ).toHaveLength(1)
  })
})
