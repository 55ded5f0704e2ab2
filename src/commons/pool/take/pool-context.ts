// What the rules of the pool work on: the records and tables of one transaction, read and written by their own shapes.
import type { PoolPresence, PoolWritePort } from '../../../core/pool/pool-port.ts'
import type { RecordWriter } from '../../../core/capability/port/record-port.ts'
import type { JsonObject } from '../../../core/json/path.ts'
import { isDaybookError } from '../../../core/errors.ts'
import { bodyOf } from '../../../core/record.ts'
import { isSealing } from '../../../core/sealed.ts'
import { nameHash } from '../../../core/text/murmur.ts'
import { formatTime, parseTime } from '../../../core/time.ts'
import {
  type EnvelopeDraft,
  type EnvelopeV1,
  orderKey,
  poolLimits,
  signedText,
} from '../../../shape/envelope.ts'
import { configId, type PoolConfig, readConfig } from '../pool-config.ts'
import {
  type BallotBody,
  ballotBody,
  type ClawBody,
  clawBody,
  type DecisionBody,
  decisionBody,
  type FactBody,
  factBody,
  type ProposalBody,
  proposalBody,
} from '../pool-kind.ts'
import { recordIds } from '../../../core/pool/pool-record-id.ts'
import { foldName } from '../../../core/text/fold-name.ts'
import { clawIdOf, sameClaw } from '../rule/claw-id.ts'
import { isHonest, isMember, type Roll } from './member.ts'
import { activeClaws, saidAt } from '../rule/presence.ts'

export type SceneRecords = Pick<
  RecordWriter,
  'get' | 'put' | 'citing' | 'guarded' | 'rules' | 'wasForgotten' | 'purge'
>

export interface Scene {
  readonly records: SceneRecords
  readonly pool: PoolWritePort
  readonly config: PoolConfig
  /** Milliseconds. */
  readonly now: number
  /** The claw of the agent that the book was opened for. */
  readonly own: string
}

export interface SceneParts {
  readonly records: SceneRecords
  readonly pool: PoolWritePort
  readonly now: number
}

export function openScene({ records, pool, now }: SceneParts): Scene {
  const config = readConfig(records.rules.get(configId))
  return { records, pool, now, config, own: ownClaw(config, pool.self) }
}

/** The claw of the agent that a book was opened for. */
export function ownClaw({ claw }: PoolConfig, { agent, book }: { agent: string; book: string }): string {
  return claw === undefined ? clawIdOf(agent, book) : foldName(claw)
}

/** The claw in whose name an agent of this book speaks. */
export function clawFor(
  { config, pool: { self } }: { readonly config: PoolConfig; readonly pool: Pick<PoolWritePort, 'self'> },
  agent: string,
): string {
  return agent === self.agent ? ownClaw(config, self) : clawIdOf(agent, self.book)
}

/** How an agent is shown whose claw is not written as its name: `Helper` is `%48elper@book`. */
export function nameAsWritten({ config, own, pool: { self } }: Scene, agent: string): string | undefined {
  const claw = clawFor({ config, pool: { self } }, agent)
  const named = sameClaw(claw, own) && config.claw !== undefined ? config.claw : `${agent}@${self.book}`
  return named === claw ? undefined : named.slice(0, poolLimits.id)
}

export const isOwnClaw = ({ pool, own }: Scene, claw: string): boolean =>
  sameClaw(own, claw) || pool.isOwn(claw)

export const rollOf = ({ config, own, pool, records }: Scene): Roll => ({
  config,
  own,
  pool,
  rules: records.rules,
})

/** True for a claw whose word counts in this book. */
export const isCounted = (scene: Scene, claw: string): boolean => isMember(rollOf(scene), claw)

/** Who is there or was lately, of those that count. */
export function membersHere(scene: Scene): PoolPresence[] {
  const standing = new Map<string, boolean>()
  return scene.pool.presence().filter(({ claw }) => {
    const is = standing.get(claw) ?? isCounted(scene, claw)
    standing.set(claw, is)
    return is
  })
}

/** The claws that are there now and count; this book's own among them. */
export function activeNow(scene: Scene): string[] {
  const { pool, own, now } = scene
  const presence = membersHere(scene)
  const here = { claw: own, instance: pool.self.instance, at: now, status: 'active' as const, own: true }
  return activeClaws([...presence.filter(({ claw }) => !sameClaw(claw, own)), here], now)
}

interface Body<Shape> {
  safeParse(value: unknown): { data?: Shape | undefined }
}

interface Said {
  readonly claw: string
  readonly by: string
}

/** What an agent of this book says in the name of somebody else's claw is not there. */
function read<Shape extends Said>(
  scene: Scene,
  id: string,
  kind: string,
  body: Body<Shape>,
): Shape | undefined {
  const record = scene.records.get(id)
  const said = record?.kind === kind ? body.safeParse(bodyOf(record)).data : undefined
  return said && isHonest(scene, said) ? said : undefined
}

/** True for a record that was forgotten or is sealed: what the pool says of it would go out in clear. */
export function isGone(records: Pick<SceneRecords, 'get' | 'wasForgotten'>, id: string): boolean {
  try {
    return records.wasForgotten(id) || isSealing(records.get(id)?.sensitivity)
  } catch (error) {
    if (isDaybookError(error, 'locked')) return true
    throw error
  }
}

/** True for a proposal that was here and was withdrawn, or is gone in this book. */
export const isWithdrawn = ({ records }: Scene, proposal: string): boolean =>
  isGone(records, recordIds.proposal(proposal))
export const readProposal = (scene: Scene, proposal: string): ProposalBody | undefined =>
  isWithdrawn(scene, proposal) ? undefined : readSealedProposal(scene, proposal)
/** Also one that is sealed here; its own proposer can still take it back. */
export const readSealedProposal = (scene: Scene, proposal: string): ProposalBody | undefined =>
  read(scene, recordIds.proposal(proposal), 'pool_proposal', proposalBody)
export const readDecision = (scene: Scene, proposal: string): DecisionBody | undefined =>
  read(scene, recordIds.decision(proposal), 'pool_decision', decisionBody)
/** True for a proposal that was decided, also where this book has forgotten the decision: nobody decides it again. */
export const isDecided = (scene: Scene, proposal: string): boolean =>
  readDecision(scene, proposal) !== undefined || isGone(scene.records, recordIds.decision(proposal))
export const readFact = (scene: Scene, fact: string): FactBody | undefined =>
  read(scene, recordIds.fact(fact), 'pool_fact', factBody)
/** Without the keys that were taken from it, which a merge with another device of the owner may have brought back. */
export function readClaw(scene: Scene, claw: string): ClawBody | undefined {
  const known = read(scene, recordIds.claw(claw), 'pool_claw', clawBody)
  if (!known?.keys || !known.revoked) return known
  const { revoked } = known
  return { ...known, keys: known.keys.filter((key) => !revoked.includes(key)) }
}

export const readBallot = (scene: Scene, proposal: string, claw: string): BallotBody | undefined =>
  read(scene, recordIds.ballot(proposal, claw), 'pool_ballot', ballotBody) ??
  ballotsOf(scene, proposal).find((one) => sameClaw(one.claw, claw))

/** The ballots on a proposal, one for each claw; a guest's may have an id of its own, where the usual one is not there. */
export function ballotsOf(scene: Scene, proposal: string): BallotBody[] {
  const found = scene.records.citing(recordIds.proposal(proposal)).flatMap(({ id, kind }) => {
    const one = kind === 'pool_ballot' ? read(scene, id, 'pool_ballot', ballotBody) : undefined
    return one ? [{ id, one }] : []
  })
  const usual = found.filter(({ id, one }) => id === recordIds.ballot(proposal, one.claw))
  return [...new Map([...found, ...usual].map(({ one }) => [foldName(one.claw), one])).values()]
}

/** Who reaches the group of a pool sees all that is under the ids of its records. */
export function put({ records, config }: Scene, kind: string, id: string, body: object): void {
  const name = { kind, id, scopes: [`pool:${config.group}`] }
  records.put({ kind, name, body: body as JsonObject, exact: true })
}

/** When an envelope was said, as far as its clock can be believed, as canonical text. */
export function saidTime({ now }: Scene, claimed: string): string {
  return formatTime(saidAt(parseTime(claimed) ?? now, now))
}

/** A text that stands for what an envelope says, to tell another one of the same key from it. */
export const wordOf = (envelope: EnvelopeDraft | EnvelopeV1): string => nameHash(signedText(envelope))

/** Puts an envelope of this book into the outbox; it goes out once the transaction is committed. */
export function say(scene: Scene, draft: EnvelopeDraft): void {
  const { pool, config, now } = scene
  const { type, clawId: claw, instanceId: instance, idempotencyKey: key, traceId: trace } = draft
  pool.send(
    { type, key: orderKey(draft as EnvelopeV1), group: config.group, text: JSON.stringify(draft), own: true },
    now,
  )
  if (!isPassing(type)) pool.remember(claw, key, wordOf(draft))
  pool.own(claw)
  pool.note({ at: formatTime(now), type, claw, instance, key, trace, result: 'accepted', reason: 'sent' })
}

/** Types that only say how things are, over and over: the next one makes up for one that was lost. */
export const isPassing = (type: string): boolean => type === 'presence' || type === 'capabilities'

/** The head of an envelope that this book writes now. */
export function headFor(
  {
    pool,
    now,
  }: {
    readonly pool: Pick<PoolWritePort, 'self'> & Partial<Pick<PoolWritePort, 'newId'>>
    readonly now: number
  },
  said: { readonly claw: string; readonly key: string; readonly trace?: string },
) {
  return {
    schemaVersion: 'v1' as const,
    traceId: said.trace ?? pool.newId?.('tr-') ?? said.key,
    timestamp: formatTime(now),
    idempotencyKey: said.key,
    clawId: said.claw,
    instanceId: pool.self.instance,
  }
}
