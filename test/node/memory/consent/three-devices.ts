// Proposals on three devices of one book and its mirror, in generated orders: proposed, withdrawn, reviewed, reopened, expired
// and synced as it comes. Engines and mirror are the code that ships. What must come of it is told from the calls that
// succeeded, without the code that decides it.
import { neverAborted } from '../../../../src/core/abort.ts'
import { isDaybookError } from '../../../../src/core/errors.ts'
import type { JsonObject } from '../../../../src/core/json/path.ts'
import { createEngine, type Engine } from '../../../../src/engine/engine.ts'
import { kinds } from '../../../../src/engine/capability-table.ts'
import { openNodeDatabase } from '../../../../src/hosts/node/book/node-database.ts'
import { openBookStore } from '../../../../src/store/book-store.ts'
import { SyncMirror } from '../../../../src/sync/mirror/mirror.ts'
import { createNumbers } from '../../../contract/mirror/mirror-world.ts'
import { createTestTime } from '../../../support/test-engine.ts'

/** Proposals that share a world; each has an order of its own. */
export const perWorld = 40
const stepsEach = 14
const deviceCount = 3

/** One of so many steps is a sync of a device, with all that its proposals have come to since the last one. */
const syncEvery = 30
const waitEvery = 15

type Step = 'approve' | 'edit' | 'reject' | 'reopen' | 'withdraw' | 'self' | 'sync' | 'wait'
const steps: readonly Step[] = [
  'approve',
  'approve',
  'edit',
  'reject',
  'reopen',
  'reopen',
  'withdraw',
  'self',
]

const minuteMs = 60_000
/** Within the time for reopening mostly, sometimes past it, and now and then past every expiry. */
const waits = [
  ...Array.from({ length: 20 }, () => minuteMs),
  8 * minuteMs,
  11 * minuteMs,
  8 * 1440 * minuteMs,
]
/** How far the clocks of the devices are off. */
const skews = [0, 90_000, -45_000]

/** What succeeded, in words that the law is about. */
interface Done {
  readonly what: 'approve' | 'edit' | 'reject' | 'reopen' | 'withdraw'
  readonly round: number
  readonly content: string
}

interface Played {
  readonly id: string
  readonly agent: string
  readonly content: string
  readonly done: Done[]
}

interface Stored extends JsonObject {
  readonly id: string
  readonly status: string
  readonly content: string
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

/** Plays one world of `perWorld` orders; answers what is wrong with it, in words. */
export async function playWorld(seed: number): Promise<string[]> {
  const next = createNumbers(seed)
  const below = (count: number) => next() % count
  const { ports, pass } = createTestTime()
  const mirrorDb = openNodeDatabase({ path: ':memory:' })
  const store = openBookStore(mirrorDb, { kinds, role: 'mirror', ports, onCommit: () => undefined })
  const mirror = new SyncMirror({ store, clock: ports.clock, random: ports.random })
  const open = (n: number): Engine =>
    createEngine({
      db: openNodeDatabase({ path: ':memory:' }),
      ports: { ...ports, clock: { now: () => ports.clock.now() + (skews[n] ?? 0) } },
      name: 'b',
      scope: { agent: `user-${n}` },
      durability: 'memory',
      textIndex: false,
      carrier: {
        exchange: async (request: unknown) =>
          JSON.parse((await mirror.exchange(JSON.stringify(request))).text) as unknown,
      },
    })
  const devices = Array.from({ length: deviceCount }, (_, n) => open(n))
  const device = () => devices[below(deviceCount)] as Engine
  const sync = (engine: Engine) => engine.call('daybook:sync', {}, { signal: neverAborted })
  const faults: string[] = []

  const all: Played[] = []
  for (let n = 0; n < perWorld; n++) {
    const agent = `agent-${n}`
    const content = `User likes number ${n}`
    const input = { content, category: 'a2p:preferences', memory_type: 'semantic' }
    const { id } = (await device().call('a2p:propose', input, { scope: { agent } })) as { id: string }
    all.push({ id, agent, content, done: [] })
  }

  const play = async (one: Played, step: Step): Promise<void> => {
    const engine = device()
    if (step === 'sync') return void (await sync(engine))
    if (step === 'wait') return pass(waits[below(waits.length)])
    const here = (await engine.call('kstar:get_record', { id: one.id })) as JsonObject | null
    const round = Object.keys((here?.['reopened'] ?? {}) as object).length
    const content = step === 'edit' ? `${one.content}, or ${below(100)}` : one.content
    const isSelf = step === 'self'
    const call = () => {
      if (step === 'reopen') return engine.call('a2p:reopen', { id: one.id })
      if (step === 'withdraw')
        return engine.call('a2p:withdraw', { id: one.id }, { scope: { agent: one.agent } })
      const action = isSelf ? 'approve' : step
      const edited = step === 'edit' ? { edited: { content } } : {}
      const as = isSelf ? { scope: { agent: one.agent } } : {}
      return engine.call('a2p:review', { id: one.id, action, ...edited }, as)
    }
    try {
      await call()
      if (isSelf) faults.push(`${one.id}: its proposer approved it`)
      else one.done.push({ what: step, round, content })
    } catch (error) {
      if (!isDaybookError(error) || !['conflict', 'not-found', 'forbidden'].includes(error.code)) throw error
    }
  }

  const order = all.flatMap((one) => Array.from({ length: stepsEach }, () => one))
  for (let i = order.length - 1; i > 0; i--) {
    const j = below(i + 1)
    ;[order[i], order[j]] = [order[j] as Played, order[i] as Played]
  }
  for (const one of order) {
    if (below(syncEvery) === 0) await play(one, 'sync')
    if (below(waitEvery) === 0) await play(one, 'wait')
    await play(one, steps[below(steps.length)] as Step)
  }
  for (let rest = 0; rest < 3; rest++) for (const engine of devices) await sync(engine)
  await turn()

  const views = await Promise.all(devices.map((engine) => viewOf(engine)))
  const [first] = views
  for (const [n, view] of views.entries())
    if (JSON.stringify(view) !== JSON.stringify(first))
      faults.push(`device ${n} has something else than device 0`)
  for (const one of all) faults.push(...faultsOf(one, first ?? { proposals: {}, memories: [] }))
  for (const engine of devices) engine.close()
  return faults.map((fault) => `seed ${seed}: ${fault}`)
}

interface View {
  readonly proposals: Record<string, { status: string; round: number }>
  readonly memories: { id: string; content: string; proposal: string }[]
}

async function viewOf(engine: Engine): Promise<View> {
  const list = async (kind: string) => {
    const query = { kind, limit: 1000, orderBy: 'content', includeExpired: true, includeSuperseded: true }
    return ((await engine.call('kstar:query_memory', query)) as { records: Stored[] }).records
  }
  const proposals = (await list('proposal')).map((one) => [
    one.id,
    {
      status: one.status,
      round: Object.keys((one['reopened'] ?? {}) as object).length,
      resolution: one['resolution'],
    },
  ])
  const memories = (await list('memory')).map(({ id, content, source }) => ({
    id,
    content,
    proposal: String((source as JsonObject)['proposal']),
  }))
  return {
    proposals: Object.fromEntries(proposals.toSorted()) as View['proposals'],
    memories: memories.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
  }
}

/** What should have come of it, told from what succeeded, against what is there. */
function faultsOf({ id, done, agent }: Played, { proposals, memories }: View): string[] {
  const round = done.reduce((most, one) => (one.what === 'reopen' ? Math.max(most, one.round + 1) : most), 0)
  const now = done.filter((one) => one.round === round)
  const approvals = now.filter(({ what }) => what === 'approve' || what === 'edit')
  const isRejected = now.some(({ what }) => what === 'reject')
  const isWithdrawn = done.some(({ what }) => what === 'withdraw')
  const wanted = isRejected
    ? ['rejected']
    : approvals.length > 0
      ? approvals.map(({ what }) => (what === 'edit' ? 'edited' : 'approved'))
      : [isWithdrawn ? 'withdrawn' : 'pending']
  const found = proposals[id]
  const made = memories.filter(({ proposal }) => proposal === id)
  const expected = !isRejected && approvals.length > 0 ? 1 : 0
  const faults: string[] = []
  if (found?.round !== round || !wanted.includes(found.status))
    faults.push(`${id} is ${found?.status} in round ${found?.round}, not ${wanted.join(' or ')} in ${round}`)
  if (made.length !== expected) faults.push(`${id} of ${agent} has ${made.length} memories, not ${expected}`)
  const said = new Set(approvals.map(({ content }) => content))
  for (const one of made) if (!said.has(one.content)) faults.push(`${one.id} says what nobody approved`)
  return faults
}
