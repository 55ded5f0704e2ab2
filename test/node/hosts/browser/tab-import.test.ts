// Long work in pieces over a change of owner: an import whose owner dies is there whole or not at all, says which, and
// can be begun again.
import { expect, it } from 'vitest'
import { kinds } from '../../../../src/engine/capability-table.ts'
import type { Kind } from '../../../../src/core/kind.ts'
import type { JsonObject } from '../../../../src/core/json/path.ts'
import type { Reply } from '../../../../src/book/share/line-message.ts'
import { defined } from '../../../../src/core/defined.ts'
import { nodePorts } from '../../../../src/hosts/node/port/node-ports.ts'
import { bundleOf } from '../../../support/bundle-source.ts'
import { makeTrace } from '../../../support/trace.ts'
import { createTabWorld, type SimTab, type TabWorld } from './tabs/tab-world.ts'

const stepLimit = 20_000
const count = 12
const at = '2026-01-01T00:00:00.000Z'
const bundle = await bundleOf(
  Array.from({ length: count }, (_, i) => ({
    ...(makeTrace({
      metadata: {
        mode: 'autonomous',
        tags: [],
        linked_traces: [],
      },
    }) as unknown as JsonObject),
    id: `trace-${i}`,
    kind: 'trace',
    agent: 'tester',
    timestamp: at,
    created_at: at,
    updated_at: at,
    ver: 1,
  })),
  [kinds.get('trace') as Kind],
  nodePorts,
)
const pieceLength = Math.ceil(bundle.length / 4)
const pieces = Array.from({ length: 4 }, (_, i) => bundle.slice(i * pieceLength, (i + 1) * pieceLength))

interface Answer {
  readonly cursor?: string
  readonly result?: object
}

/** Takes steps until it is answered; `during` is told before each how many there were. */
async function settle(
  world: TabWorld,
  replies: Promise<Reply[]>,
  during: (step: number) => void = () => undefined,
): Promise<Reply> {
  let all: Reply[] | undefined
  void replies.then((got) => (all = got))
  for (let i = 0; !all && i < stepLimit; i++) {
    during(i)
    await world.step()
  }
  if (!all?.[0]) throw new Error('never answered')
  return all[0]
}

const send = (world: TabWorld, tab: SimTab, n: number, cursor?: string) =>
  world.call(tab, 'bundle:import', [{ text: pieces[n], more: n < pieces.length - 1, ...defined({ cursor }) }])

/** Sends from piece `from` on; answers with the last answer, or the first that failed. */
async function upload(
  world: TabWorld,
  tab: SimTab,
  during: (piece: number, step: number) => void = () => undefined,
): Promise<Reply<Answer>> {
  let cursor: string | undefined
  for (let n = 0; ; n++) {
    during(n, -1)
    // Between two pieces there is time enough for another tab to take over.
    await settle(world, world.call(tab, 'daybook:status', [{}]))
    const reply = (await settle(world, send(world, tab, n, cursor), (step) =>
      during(n, step),
    )) as Reply<Answer>
    if (!reply.ok || n === pieces.length - 1) return reply
    cursor = reply.value.cursor
  }
}

/** As a user would. Time runs by chance here, so that a tab may lose patience with an owner who is well. */
async function uploadAnew(world: TabWorld, tab: SimTab): Promise<Reply<Answer>> {
  for (let tries = 0; ; tries++) {
    const reply = await upload(world, tab)
    if (reply.ok || reply.error.code !== 'owner-changed' || tries > 20) return reply
  }
}

const rows = (world: TabWorld, table: 'records' | 'staged') =>
  world.read().get<{ n: number }>(`SELECT count(*) AS n FROM ${table}`)?.n

it('leaves all of a bundle or nothing, says so and takes it again, whenever its owner dies', async () => {
  const ends = { ok: 0, none: 0, all: 0 }
  for (let piece = 0; piece < pieces.length; piece++) {
    for (let step = -1; step < 12; step += 2) {
      const world = createTabWorld(piece * 100 + step, () => undefined)
      const owner = world.add()
      await settle(world, world.call(owner, 'daybook:status', [{}]))
      const [tab] = [world.add(), world.add()]
      const reply = await upload(world, tab, (n, taken) => {
        if (n === piece && taken === step && !owner.dead) world.kill(owner)
      })
      const where = { piece, step, error: reply.ok ? undefined : reply.error.code }
      // Whoever has the book now has cleared what was left behind.
      await settle(world, world.call(tab, 'daybook:status', [{}]))
      const [records, staged] = [rows(world, 'records'), rows(world, 'staged')]
      if (reply.ok) expect({ ...where, records }).toEqual({ ...where, records: count })
      else expect(where).toEqual({ ...where, error: 'owner-changed' })
      expect({ ...where, staged }).toEqual({ ...where, staged: 0 })
      expect([0, count]).toContain(records)
      ends[reply.ok ? 'ok' : records === 0 ? 'none' : 'all'] += 1
      expect(await uploadAnew(world, tab)).toMatchObject({ ok: true, value: { result: {} } })
      expect(rows(world, 'records')).toBe(count)
      expect(world.violations).toEqual([])
    }
  }
  expect(ends.none).toBeGreaterThan(8)
  expect(ends.ok + ends.all).toBeGreaterThan(0)
})

it('says of an import from its own page that it is to be begun again, when the book went to another tab meanwhile', async () => {
  const world = createTabWorld(1, () => undefined)
  const owner = world.add()
  const first = (await settle(world, send(world, owner, 0))) as Reply<Answer>
  if (!first.ok) throw new Error(first.error.message)
  const other = world.add()
  owner.frozen = true
  // Nobody answers, so the tab asks for the book, and has it once the other wakes.
  await settle(world, world.call(other, 'daybook:status', [{}]))
  owner.frozen = false
  const owns = async () => {
    const reply = (await settle(world, world.call(other, 'daybook:status', [{}]))) as Reply<{
      owner: boolean
    }>
    return reply.ok && reply.value.owner
  }
  for (let i = 0; i < stepLimit && !(await owns()); i++) await world.step()
  const second = await settle(world, send(world, owner, 1, first.value.cursor))
  expect(second).toMatchObject({ ok: false, error: { code: 'owner-changed', retry: true } })
  expect([rows(world, 'records'), rows(world, 'staged')]).toEqual([0, 0])
  expect(await uploadAnew(world, owner)).toMatchObject({ ok: true, value: { result: {} } })
  expect(rows(world, 'records')).toBe(count)
})
