// One claw of the simulated pool: the real rules over the real tables, its records in memory, its clock and network the world's.
import type { WriteContext } from '../../../src/core/capability/context.ts'
import type { RecordWriter } from '../../../src/core/capability/port/record-port.ts'
import type { PoolSending, PoolWritePort, PoolWriter, Taken } from '../../../src/core/pool.ts'
import type { JsonObject } from '../../../src/core/json/path.ts'
import { goingIds, type Kind, sourceIds } from '../../../src/core/kind.ts'
import { formatTime } from '../../../src/core/time.ts'
import { configId } from '../../../src/commons/pool/pool-config.ts'
import { ballotKind, decisionKind, poolFactKind } from '../../../src/commons/pool/pool-kind.ts'
import { recordIds } from '../../../src/core/text/name-id.ts'
import { ClawRateLimiter } from '../../../src/commons/pool/rule/claw-rate-limiter.ts'
import { announcePresence } from '../../../src/commons/pool/service/announce.ts'
import {
  openContext,
  type PoolContext,
  type PoolRecords,
} from '../../../src/commons/pool/take/pool-context.ts'
import { doPoolWork, readIncoming, takeEnvelope } from '../../../src/commons/pool/take/take-envelope.ts'
import { sendWithdrawals } from '../../../src/commons/pool/take/take-proposal.ts'
import { proposeCapabilities } from '../../../src/commons/pool/verb/propose-capability.ts'
import { openNodeDatabase } from '../../../src/hosts/node/book/node-database.ts'
import { migrate } from '../../../src/store/schema/version.ts'
import { createPoolTables } from '../../../src/store/pool/pool-tables.ts'

export type Body = Record<string, unknown>
type Write = WriteContext<'records' | 'pool'>

const madeKinds = new Map<string, Kind>(
  [ballotKind, decisionKind, poolFactKind].map((kind) => [kind.name, kind as Kind]),
)

const tables = ['keys', 'audit', 'outbox', 'positions', 'waiting', 'presence', 'own']

const run = <Name extends string>(id: Name) => {
  const found = proposeCapabilities.find((one) => one.id === id)
  if (!found) throw new Error(`There is no ${id}.`)
  return found.run as unknown as (input: object, at: Write) => Body
}
const propose = run('pool:propose')
const vote = run('pool:vote')

/** The key of somebody, and what it signs: whoever has no other key makes no other signature. */
export const keyOf = (agent: string) => `did:key:${agent}`
const sealOf = (key: string) => key.replaceAll(/[^a-z]/g, '').padEnd(86, 'A')

/** An envelope as `agent` signs it. */
export function signedBy(agent: string, text: string): string {
  const key = keyOf(agent)
  return JSON.stringify({ ...(JSON.parse(text) as object), signature: { key, value: sealOf(key) } })
}

export class ClawSite {
  readonly agent: string
  readonly bodies = new Map<string, { readonly kind: string; readonly body: Body }>()
  readonly results: Taken[] = []
  /** Ids of records that were forgotten. */
  readonly gone = new Set<string>()
  readonly #db = openNodeDatabase({ path: ':memory:' })
  readonly #tables: PoolWriter
  readonly #flood = new ClawRateLimiter()
  #starts = 1
  #ids = 0
  #sentAt = -1

  constructor(agent: string) {
    this.agent = agent
    migrate(this.#db, '2026-01-01T00:00:00.000Z')
    this.#tables = createPoolTables(this.#db)
  }

  get claw(): string {
    return `${this.agent}@book`
  }

  /** A new world, in the same database. */
  clear(admitted: readonly string[]): void {
    for (const name of tables) this.#db.exec(`DELETE FROM pool_${name}`)
    this.bodies.clear()
    this.results.length = 0
    this.gone.clear()
    this.#starts = 1
    this.#ids = 0
    this.#sentAt = -1
    this.bodies.set(configId, { kind: 'pool_config', body: { admission: 'listed' } })
    for (const agent of admitted) if (agent !== this.agent) this.#admit(agent)
  }

  #admit(agent: string): void {
    const claw = `${agent}@book`
    const at = '2026-01-01T00:00:00.000Z'
    const said = { claw, by: claw, group: 'daybook', capabilities: [], firstSeenAt: at, announcedAt: at }
    const body = { ...said, keys: [keyOf(agent)], admission: { state: 'admitted', at } }
    this.bodies.set(recordIds.claw(claw), { kind: 'pool_claw', body })
  }

  restart(): void {
    this.#starts += 1
  }

  close(): void {
    this.#db.close()
  }

  presence(now: number): void {
    this.#transact(now, (context) => announcePresence(context))
  }

  settle(now: number): void {
    this.#transact(now, (context) =>
      doPoolWork(context, { proposalsToCount: this.openProposals(), retryWaitingFor: [] }),
    )
  }

  propose(now: number, input: object): void {
    this.#call(now, propose, input)
  }

  vote(now: number, input: object): void {
    this.#call(now, vote, input)
  }

  /** Forgets a proposal of its own, and tells the others. */
  withdraw(now: number, pick: number): string | undefined {
    const own = this.of('pool_proposal').filter(({ claw }) => claw === this.claw)
    const proposal = own[pick % Math.max(1, own.length)]?.['proposal'] as string | undefined
    if (proposal === undefined) return undefined
    this.#transact(now, ({ records }) => records.purge(recordIds.proposal(proposal)))
    this.#transact(now, sendWithdrawals)
    return proposal
  }

  async take(now: number, text: string): Promise<void> {
    const verify = (key: string, _text: string, value: string) => Promise.resolve(value === sealOf(key))
    const received = await readIncoming(text, verify, { carrier: 'sim' })
    this.#transact(now, (context) => this.results.push(takeEnvelope(context, received, this.#flood)))
  }

  /** What is to be sent, which then counts as sent. */
  outgoing(): readonly PoolSending[] {
    if (this.#tables.revision === this.#sentAt) return []
    this.#sentAt = this.#tables.revision
    const waiting = this.#tables.outbox('sim', 1000)
    const last = waiting.at(-1)
    if (last) this.#tables.sent('sim', last.n)
    return waiting
  }

  of(kind: string): Body[] {
    return [...this.bodies.values()].filter((one) => one.kind === kind).map(({ body }) => body)
  }

  openProposals(): string[] {
    const decided = new Set(this.of('pool_decision').map(({ proposal }) => proposal))
    const ids = this.of('pool_proposal').map(({ proposal }) => String(proposal))
    return ids.filter((id) => !decided.has(recordIds.proposal(id)))
  }

  #call(now: number, verb: typeof propose, input: object): void {
    try {
      this.#transact(now, (context) => {
        const call = { caller: { role: 'owner' }, scope: { agent: this.agent }, now: formatTime(now) }
        verb(input, { call, records: context.records, pool: context.pool } as unknown as Write)
      })
    } catch (error) {
      // A vote that comes too late, a version that was overtaken.
      if (!(error instanceof Error && error.name === 'DaybookError')) throw error
    }
  }

  /** All of it or nothing, as in a book. */
  #transact(now: number, work: (context: PoolContext) => void): void {
    const before = new Map(this.bodies)
    const gone = [...this.gone]
    try {
      this.#db.transaction(() => work(openContext({ records: this.#records(), pool: this.#pool(), now })))
    } catch (error) {
      this.bodies.clear()
      for (const [id, one] of before) this.bodies.set(id, one)
      this.gone.clear()
      for (const id of gone) this.gone.add(id)
      throw error
    }
  }

  #pool(): PoolWritePort {
    const device = `d-${this.agent}`
    return Object.create(this.#tables, {
      self: { value: { book: 'book', agent: this.agent, device, instance: `${device}#${this.#starts}` } },
      carrierNames: { value: ['sim'] },
      newId: {
        value: (prefix: string) =>
          `${prefix}${this.agent.codePointAt(0)?.toString(16)}${String(++this.#ids).padStart(14, '0')}`,
      },
    }) as PoolWritePort
  }

  #records(): PoolRecords {
    const get = (id: string) => {
      const one = this.bodies.get(id)
      return one && { id, kind: one.kind, ...one.body }
    }
    return {
      get,
      rules: { get },
      citing: (id: string) =>
        [...this.bodies].flatMap(([citing, { kind, body }]) =>
          body['proposal'] === id ? [{ id: citing, kind, path: 'proposal' }] : [],
        ),
      wasForgotten: (id: string) => this.gone.has(id),
      purge: (id: string) => this.#purge(id),
      guarded: ({ body }: { body: object }) => ({ body, sensitivity: undefined }),
      put: ({ kind, name, body }: Parameters<RecordWriter['put']>[0]) => {
        const settle = { pool_fact: poolFactKind.settle, pool_ballot: ballotKind.settle }[kind]
        this.bodies.set(name?.id ?? '', { kind, body: settle?.(body) ?? body })
        return name?.id ?? ''
      },
    } as unknown as PoolRecords
  }

  /** What was made from the record goes with it, as the kinds say. */
  #purge(id: string): boolean {
    this.gone.add(id)
    const was = this.bodies.delete(id)
    for (const [made, { kind, body }] of this.bodies) {
      const declared = madeKinds.get(kind)
      if (!declared || !sourceIds(declared, body as JsonObject, made).includes(id)) continue
      if (goingIds(declared, body as JsonObject, made).includes(id)) {
        this.#purge(made)
        continue
      }
      const left = Object.entries(body['versions'] as Record<string, Body>).filter(
        ([, one]) => recordIds.proposal(String(one['proposal'])) !== id,
      )
      this.bodies.set(made, { kind, body: { ...body, versions: Object.fromEntries(left) } })
    }
    return was
  }
}
