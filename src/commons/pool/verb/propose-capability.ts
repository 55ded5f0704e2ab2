// The verbs by which an agent takes part: propose, publish what a record says, vote.
// Invariant: nothing leaves this book that its rules keep here, and a claw votes in its own name, once.
import { z } from 'zod'
import type { CallPort, WriteContext } from '../../../core/capability/context.ts'
import { defineCapability } from '../../../core/capability/capability.ts'
import { DaybookError } from '../../../core/errors.ts'
import type { JsonObject } from '../../../core/json/path.ts'
import { sameJson } from '../../../core/json/same-json.ts'
import { formatTime, parseTime } from '../../../core/time.ts'
import { poolLimits } from '../../../shape/envelope.ts'
import { timeoutMs } from '../pool-config.ts'
import { type ProposalBody } from '../pool-kind.ts'
import { recordIds } from '../../../core/pool/pool-record-id.ts'
import { factIdOf, sameClaw } from '../rule/claw-id.ts'
import { checkRecord, checkTags, secretFound, wordsOf } from '../rule/may-leave.ts'
import { present } from '../service/announce.ts'
import {
  clawFor,
  headFor,
  put,
  readBallot,
  readDecision,
  readFact,
  readProposal,
  type Scene,
  say,
} from '../take/pool-context.ts'
import { changeLimit } from '../take/take-proposal.ts'
import { agentOf, id, part, sceneOf, tags, text, voiceOf } from './shape.ts'

const factInput = z.strictObject({
  /** The fact of which this is to be the next version; without it, it is a new one. */
  id: id.optional(),
  subject: part,
  predicate: part,
  object: part,
})

const proposed = z.object({
  /** Its id among claws. */
  proposal: z.string(),
  /** The record that holds it. */
  record: z.string(),
  claw: z.string(),
  fact: z.object({ id: z.string(), version: z.number() }),
  expires_at: z.string(),
})

interface Words {
  readonly statement: string
  readonly title?: string | undefined
  readonly tags: readonly string[]
  readonly fact?: z.output<typeof factInput> | undefined
  /** The record that it says. */
  readonly madeFrom?: string
}

/** The fact that comes of it: a new one, or the next version of one that is known here. */
function factFor(scene: Scene, proposal: string, { fact, title, statement }: Words) {
  const words = fact
    ? { subject: fact.subject, predicate: fact.predicate, object: fact.object }
    : { subject: title ?? 'statement', predicate: 'states', object: statement }
  if (fact?.id === undefined) return { id: factIdOf(proposal), version: 1, ...words }
  const known = readFact(scene, fact.id)
  if (known) return { id: fact.id, version: known.version + 1, ...words }
  throw new DaybookError('not-found', `The pool has no fact \`${fact.id}\` here.`, {
    details: { path: 'fact.id' },
  })
}

function propose(scene: Scene, agent: string, words: Words, at: WriteContext<'records' | 'pool'>) {
  const { config, now, pool } = scene
  checkTags(words.tags, config)
  const claw = clawFor(scene, agent)
  const proposal = pool.newId('kp-')
  const fact = factFor(scene, proposal, words)
  const trace = pool.newId('tr-')
  const expires_at = formatTime(now + timeoutMs(config))
  const { title, statement, madeFrom } = words
  const body: ProposalBody = {
    proposal,
    claw,
    by: agent,
    group: config.group,
    instance: pool.self.instance,
    trace,
    ...(title === undefined ? {} : { title }),
    statement,
    tags: [...words.tags],
    proposed_at: formatTime(now),
    expires_at,
    fact,
    ...(madeFrom === undefined ? {} : { made_from: madeFrom }),
  }
  const given = {
    kind: 'pool_proposal',
    id: recordIds.proposal(proposal),
    body: body as object as JsonObject,
  }
  const kept = at.records.guarded(given)
  if (kept.sensitivity !== undefined || !sameJson(kept.body, given.body)) throw secretFound('statement')
  put(scene, given.kind, given.id, body)
  present(scene, claw)
  say(scene, {
    ...headFor(scene, { claw, key: `knowledge:proposal:${proposal}`, trace }),
    type: 'proposal',
    payload: {
      proposalId: proposal,
      group: config.group,
      title,
      statement,
      tags: [...words.tags],
      expiresAt: expires_at,
      fact: {
        factId: fact.id,
        version: fact.version,
        subject: fact.subject,
        predicate: fact.predicate,
        object: fact.object,
      },
    },
  })
  return { proposal, record: given.id, claw, fact: { id: fact.id, version: fact.version }, expires_at }
}

/** Proposing and voting are of the group's own business. */
function checkGoverned({ config }: Scene): void {
  if (config.governance) return
  throw new DaybookError(
    'conflict',
    'Governance is off: this book neither proposes nor votes. Turn it on with pool:configure.',
    {
      details: { path: 'governance', reason: 'governance_disabled' },
    },
  )
}

function ownRecord({ get }: WriteContext<'records'>['records'], call: CallPort, named: string) {
  const record = get(named)
  if (!record) throw new DaybookError('not-found', undefined, { details: { path: 'record' } })
  checkRecord(record, agentOf(call))
  return record
}

export const proposeCapabilities = [
  defineCapability({
    id: 'pool:propose',
    permission: 'write',
    runs: 'device',
    methods: ['pool.propose'],
    summary:
      'Proposes knowledge to the other agents of the group, who vote on it; approved, it becomes a fact of the pool.',
    input: z.strictObject({
      statement: text(poolLimits.statement),
      title: text(poolLimits.title).optional(),
      /** At least one that may leave this book. */
      tags: tags.min(1),
      /** What it becomes; default the title states the statement. */
      fact: factInput.optional(),
    }),
    output: proposed,
    effect: 'write',
    uses: ['records', 'pool'],
    run(words, at) {
      const scene = sceneOf(at)
      checkGoverned(scene)
      return propose(scene, agentOf(at.call), words, at)
    },
  }),
  defineCapability({
    id: 'pool:publish',
    permission: 'write',
    runs: 'device',
    methods: ['pool.publish'],
    summary:
      'Proposes what a record of this book says, if it may leave: sealed records and those of other agents never do.',
    input: z.strictObject({
      record: z.string().min(1).max(128),
      tags: tags.min(1),
      title: text(poolLimits.title).optional(),
      /** In place of what the record says. */
      statement: text(poolLimits.statement).optional(),
      /** The fact of which it is to be the next version. */
      fact: id.optional(),
    }),
    output: proposed,
    effect: 'write',
    uses: ['records', 'pool'],
    run({ record: named, tags: tagged, title, statement, fact }, at) {
      const scene = sceneOf(at)
      checkGoverned(scene)
      const record = ownRecord(at.records, at.call, named)
      const own = statement === undefined ? wordsOf(record) : { statement }
      if (own.statement.length > poolLimits.statement)
        throw new DaybookError(
          'invalid-input',
          `It says more than ${poolLimits.statement} characters: give a statement.`,
          {
            details: { path: 'statement' },
          },
        )
      const said = own.fact ?? { subject: title ?? 'statement', predicate: 'states', object: own.statement }
      const words = {
        ...own,
        title,
        tags: tagged,
        fact: fact === undefined ? own.fact : { ...said, id: fact },
        madeFrom: record.id,
      }
      return propose(scene, agentOf(at.call), words, at)
    },
  }),
  defineCapability({
    id: 'pool:vote',
    permission: 'write',
    runs: 'device',
    methods: ['pool.vote'],
    summary: 'Votes on a proposal in the name of whoever calls; a changed vote counts until it is decided.',
    input: z.strictObject({
      /** Its id among claws. */
      proposal: id,
      vote: z.enum(['yes', 'no']),
      reason: text(poolLimits.reason).optional(),
    }),
    output: z.object({
      proposal: z.string(),
      /** The record of the vote. */
      record: z.string(),
      claw: z.string(),
      vote: z.enum(['yes', 'no']),
      /** Which vote of this claw on it that is, from 1. */
      n: z.number(),
      changed: z.boolean(),
      /** False for the proposer's own vote, where that does not count. */
      counts: z.boolean(),
    }),
    effect: 'write',
    uses: ['records', 'pool'],
    run({ proposal: named, vote, reason }, at) {
      const scene = sceneOf(at)
      checkGoverned(scene)
      const agent = voiceOf(at.call)
      const claw = clawFor(scene, agent)
      const proposal = readProposal(scene, named)
      if (!proposal)
        throw new DaybookError('not-found', `There is no proposal \`${named}\` here.`, {
          details: { path: 'proposal' },
        })
      checkOpen(scene, proposal)
      const known = readBallot(scene, named, claw)
      const counts = scene.config.self_vote || !sameClaw(claw, proposal.claw)
      const record = recordIds.ballot(named, claw)
      if (known?.vote === vote)
        return { proposal: named, record, claw, vote, n: known.n, changed: false, counts }
      if (known) checkChange(scene, Object.keys(known.votes).length)
      if (reason !== undefined) checkLeaving(at, { reason })
      const n = (known?.n ?? 0) + 1
      const cast = { vote, at: at.call.now, ...(reason === undefined ? {} : { reason }) }
      put(scene, 'pool_ballot', record, {
        claw,
        by: agent,
        group: proposal.group,
        proposal: recordIds.proposal(named),
        votes: { ...known?.votes, [String(n)]: cast },
        vote,
        n,
        cast_at: at.call.now,
      })
      present(scene, claw)
      const key = `knowledge:vote:${named}:${claw}`
      say(scene, {
        ...headFor(scene, {
          claw,
          key: scene.config.compatibility ? key : `${key}:${n}`,
          trace: proposal.trace,
        }),
        type: 'vote',
        payload: { proposalId: named, vote, n, reason },
      })
      return { proposal: named, record, claw, vote, n, changed: true, counts }
    },
  }),
] as const

function checkOpen(scene: Scene, { proposal, expires_at }: ProposalBody): void {
  const decision = readDecision(scene, proposal)
  const isOver = (parseTime(expires_at) ?? Infinity) <= scene.now
  if (!decision && !isOver) return
  const outcome = decision?.outcome ?? 'expired'
  throw new DaybookError('conflict', `\`${proposal}\` is ${outcome}: votes on it count no more.`, {
    details: { path: 'proposal', reason: outcome },
  })
}

/** What is said to other claws goes out in clear, whatever becomes of the record. */
export function checkLeaving({ records }: Pick<WriteContext<'records'>, 'records'>, said: JsonObject): void {
  const given = { kind: 'pool_ballot', id: 'pool_ballot::new', body: said }
  const kept = records.guarded(given)
  if (kept.sensitivity !== undefined || !sameJson(kept.body, said))
    throw secretFound(Object.keys(said)[0] ?? '')
}

function checkChange({ config: { compatibility } }: Scene, votes: number): void {
  if (!compatibility && votes < changeLimit) return
  throw new DaybookError('conflict', 'The vote of this claw can be changed no more.', {
    details: { path: 'vote', reason: compatibility ? 'compatibility' : 'too_many_changes' },
  })
}
