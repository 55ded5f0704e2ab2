// A fact that a device put in the place of another one without knowing that this was sealed: it becomes as sensitive, in whatever
// order the copies hear of both, and stays nowhere in clear.
import { describe, expect, it } from 'vitest'
import { defined } from '../../../src/core/defined.ts'
import type { JsonObject } from '../../../src/core/json/path.ts'
import { createKinds } from '../../../src/core/kind.ts'
import { memoryKind } from '../../../src/memory/consent/memory/memory-kind.ts'
import { proposalKind } from '../../../src/memory/consent/proposal/proposal-kind.ts'
import { factKind } from '../../../src/memory/kstar/fact-kind.ts'
import { markKind } from '../../../src/memory/mark/mark-kind.ts'
import { expectSame, id } from './mirror-case.ts'
import { holds, secret } from './mirror-seal.ts'
import { createWorld, type DatabaseHost, type Site, type TestDevice, testKinds } from './mirror-world.ts'

const kinds = createKinds([...testKinds.values(), factKind, markKind, memoryKind, proposalKind])
const create = (host: DatabaseHost) =>
  createWorld(host, { kindsAtMirror: kinds, kindsAt: { a: kinds, b: kinds, c: kinds } })

const fact = (text: string, supersedes?: string): JsonObject => ({
  schema: 's',
  data: { text },
  verified: false,
  ...defined({ supersedes }),
})
const at = '2026-01-01T00:00:00.000Z'
const said = { content: 'zanzibar', category: 'a2p:interests', memory_type: 'semantic', confidence: 1 }
const proposal = {
  ...said,
  by: 'helper',
  agentDid: 'did:a2p:agent:local:helper',
  proposedAt: at,
  expiresAt: '2099-01-01T00:00:00.000Z',
  status: 'pending',
}
const memory = { ...said, status: 'approved', metadata: {} }
const note = { proposal: 'p', at, before: { content: 'tea' }, after: { content: 'zanzibar' } }
/** A memory as an approval of the proposal `p` leaves it. */
const memories: Readonly<Record<string, JsonObject>> = {
  made: { ...memory, source: { type: 'agent_proposal', timestamp: at, proposal: 'p', round: 0 } },
  changed: { ...memory, source: { type: 'user_manual', timestamp: at }, revised: { mem_pr0: note } },
}

const levelAt = async (site: Site, record: string) => (await site.get(record))?.sensitivity

async function expectNowhereInClear(...sites: Site[]) {
  for (const site of sites) {
    await site.look((store) => store.purge.scrub())
    expect(await holds(site, 'zanzibar')).toBe(false)
  }
}

/** What becomes of the record after it was sealed. */
const ends: Readonly<Record<string, (at: TestDevice, record: string) => Promise<unknown>>> = {
  lives: () => Promise.resolve(),
  'is forgotten': (site, record) => site.forget(record),
  'is purged': (site, record) => site.purge(record),
}
const orders = ['abc', 'acb', 'bac', 'bca', 'cab', 'cba']

export function guardedCases(host: DatabaseHost): void {
  describe('what stands in the place of a sealed record', () => {
    it.each(Object.keys(ends).flatMap((end) => orders.map((order) => ({ end, order }))))(
      'E17 is sealed with all that stands in its own place ($end, $order)',
      async ({ end, order }) => {
        const world = create(host)
        const sites = { a: world.device('a'), b: world.device('b'), c: world.device('c') }
        const { a, b, c } = sites
        b.keys = []
        await a.put('fact', id(1), fact('one'))
        for (const site of [a, b, c]) await site.sync()
        await a.put('fact', id(1), fact('one'), secret)
        await ends[end]?.(a, id(1))
        world.clock.nowMs += 1000
        await b.put('fact', id(2), fact('zanzibar 2', id(1)))
        await b.mark(id(2), { collection: 'Zanzibar' })
        world.clock.nowMs += 1000
        await b.put('fact', id(3), fact('zanzibar 3', id(2)))
        await b.put('fact', id(3), fact('zanzibar 3, again', id(2)))
        for (const name of order) await sites[name as 'a'].sync()
        for (let i = 0; i < 3; i++) for (const site of [a, b, c]) await site.sync()
        await expectNowhereInClear(world.mirror, a, b, c)
        for (const site of [a, c]) {
          expect(await levelAt(site, id(2))).toBe('sensitive')
          expect(await site.get(id(3))).toMatchObject({ data: { text: 'zanzibar 3, again' }, ...secret })
          expect((await site.get(id(2)))?.marks).toEqual({ collection: 'Zanzibar' })
          expect(await site.conflicts()).toEqual([])
        }
        await expectSame(a, c)
      },
    )

    it.each(
      Object.keys(memories).flatMap((how) =>
        Object.keys(ends).flatMap((end) => orders.map((order) => ({ how, end, order }))),
      ),
    )('E17 is sealed where it is a memory that was $how by a proposal ($end, $order)', async (one) => {
      const world = create(host)
      const sites = { a: world.device('a'), b: world.device('b'), c: world.device('c') }
      const { a, b, c } = sites
      b.keys = []
      await a.put('proposal', 'p', proposal)
      for (const site of [a, b, c]) await site.sync()
      await a.put('proposal', 'p', proposal, secret)
      await ends[one.end]?.(a, 'p')
      world.clock.nowMs += 1000
      await b.put('memory', id(1), memories[one.how] ?? {}, { sensitivity: 'standard' })
      for (const name of one.order) await sites[name as 'a'].sync()
      for (let i = 0; i < 3; i++) for (const site of [a, b, c]) await site.sync()
      await expectNowhereInClear(world.mirror, a, b, c)
      for (const site of [a, c])
        expect(await site.get(id(1))).toMatchObject({ content: 'zanzibar', ...secret })
      await expectSame(a, c)
    })

    it('E17 is sealed by a device that hears of the sealing last', async () => {
      const world = create(host)
      const [a, b, c] = [world.device('a'), world.device('b'), world.device('c')]
      await a.put('fact', id(1), fact('one'))
      for (const site of [a, b, c]) await site.sync()
      b.keys = []
      await b.put('fact', id(2), fact('zanzibar', id(1)))
      for (const site of [b, c]) await site.sync()
      await a.put('fact', id(1), fact('one'), secret)
      // It goes away for good before it hears of the other one.
      await a.sync('push')
      for (const site of [c, b, c]) await site.sync()
      await expectNowhereInClear(world.mirror, b, c)
      expect(await levelAt(c, id(2))).toBe('sensitive')
    })

    it('E17 is as strict as the strictest of both, and is never less so by a sync', async () => {
      const world = create(host)
      const [a, b] = [world.device('a'), world.device('b')]
      await a.put('fact', id(1), fact('one'))
      for (const site of [a, b]) await site.sync()
      await a.put('fact', id(1), fact('one'), { sensitivity: 'restricted' })
      await b.put('fact', id(2), fact('two', id(1)), secret)
      await b.put('fact', id(3), fact('three', id(2)), { sensitivity: 'public' })
      for (const site of [b, a, b, a, b]) await site.sync()
      for (const site of [a, b])
        for (const n of [1, 2, 3]) expect(await levelAt(site, id(n))).toBe('restricted')
      await a.put('fact', id(1), fact('one'), { sensitivity: 'standard' })
      for (const site of [a, b, a]) await site.sync()
      for (const site of [a, b]) expect(await levelAt(site, id(2))).toBe('restricted')
    })

    it('E17 is in clear where its owner has made it `standard`, and stays so', async () => {
      const world = create(host)
      const [a, b] = [world.device('a'), world.device('b')]
      await a.put('fact', id(1), fact('one'), secret)
      await a.put('fact', id(2), fact('two', id(1)))
      await a.sync()
      await b.sync()
      expect(await levelAt(b, id(2))).toBe('sensitive')
      await b.put('fact', id(2), fact('two', id(1)), { sensitivity: 'standard' })
      for (const site of [b, a, b, a]) await site.sync()
      await a.put('fact', id(1), fact('one more'))
      for (const site of [a, b, a]) await site.sync()
      for (const site of [a, b, world.mirror]) expect(await levelAt(site, id(2))).toBe('standard')
    })

    it('E17 is sealed as soon as it stands there, also where it was said to be `standard` before anything was sealed', async () => {
      const world = create(host)
      const [a, b] = [world.device('a'), world.device('b')]
      await a.put('fact', id(1), fact('one'))
      for (const site of [a, b]) await site.sync()
      b.keys = []
      await b.put('fact', id(2), fact('zanzibar', id(1)), { sensitivity: 'standard' })
      await a.put('fact', id(1), fact('one'), secret)
      for (const site of [b, a, b]) await site.sync()
      await expectNowhereInClear(world.mirror, a, b)
    })
  })
}
