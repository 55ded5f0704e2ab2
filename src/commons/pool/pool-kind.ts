// The records of the pool: proposals, ballots, decisions, facts and claws. Sync shares them between the owner's
// devices, because a claw ignores its own envelopes.
// Invariant: a guest writes only its own proposals, ballots and announcements; only the owner's engine writes all
// else.
import { z } from 'zod'
import type { JsonObject } from '../../core/json/path.ts'
import type { Kind } from '../../core/kind.ts'
import { recordIds } from '../../core/text/name-id.ts'
import { plainText } from '../../core/text/shown-text.ts'
import { poolLimits } from '../../shape/envelope.ts'
import { isClawOfAgent } from './rule/claw-id.ts'

const id = z.string().min(1).max(poolLimits.id)
const instant = z.string().min(1).max(64)
const text = (maxLength: number) => z.string().min(1).max(maxLength)
const tags = z.array(text(poolLimits.tag)).max(poolLimits.tags)
const nonNegativeInteger = z.number().int().min(0)

/** The scope of these records is `pool:<group>`. */
const poolScopeOptions = { scopedAs: 'pool', scopedBy: 'domain', embed: false } as const

/** The speaker. `by`: the agent of this book that owns the claw; for a foreign claw, the claw again. */
const speakerFields = { claw: id, by: text(1000), group: id }

/** True if the claw belongs to the agent `by`: then a guest may write the record. */
const isClawOfItsAgent = ({ claw, by }: { readonly claw: string; readonly by: string }) =>
  isClawOfAgent(by, claw)

// Bodies are loose objects: fields of a later version stay.

export const proposedFact = z.strictObject({
  id,
  version: z.number().int().min(1),
  subject: text(poolLimits.part),
  predicate: text(poolLimits.part),
  object: text(poolLimits.part),
})

export const poolProposalBody = z.looseObject({
  ...speakerFields,
  /** Its id in envelopes. */
  proposal: id,
  /** The run of the engine that sent it, `device#run`, and the id that connects all envelopes about it. */
  instance: id,
  trace: id,
  title: z.string().max(poolLimits.title).optional(),
  statement: text(poolLimits.statement),
  tags,
  proposedAt: instant,
  /** When the vote ends. */
  expiresAt: instant,
  /** The fact that it becomes when approved. Absent: the publisher derives it from title and statement. */
  fact: proposedFact.optional(),
  /** The id of the record that it publishes. It is not sent to other claws. */
  madeFrom: id.optional(),
})
export type PoolProposalBody = z.output<typeof poolProposalBody>

const castVote = z.looseObject({
  vote: z.enum(['yes', 'no']),
  at: instant,
  reason: z.string().max(poolLimits.reason).optional(),
})

export const ballotBody = z.looseObject({
  ...speakerFields,
  /** The id of the record of its proposal. */
  proposal: id,
  /** All votes of this claw by number: `1`, `2`, … The highest number counts. */
  votes: z.record(z.string().regex(/^\d{1,7}$/), castVote),
  /** `vote`, `n` and `castAt` are derived from `votes`. */
  vote: z.enum(['yes', 'no']),
  n: nonNegativeInteger,
  castAt: instant,
})
export type BallotBody = z.output<typeof ballotBody>

export const decisionBody = z.looseObject({
  ...speakerFields,
  /** The id of the record of its proposal. */
  proposal: id,
  outcome: z.enum(['approved', 'rejected', 'expired']),
  yes: nonNegativeInteger,
  no: nonNegativeInteger,
  reason: z.string().max(poolLimits.reason),
  /** The votes of one kind that were needed. */
  quorum: nonNegativeInteger.optional(),
  /** The claws that were active. */
  active: z.array(id).optional(),
  /** The counted ballots. */
  ballots: z
    .array(z.looseObject({ claw: id, vote: z.enum(['yes', 'no']), n: nonNegativeInteger }))
    .optional(),
  decidedAt: instant,
})
export type DecisionBody = z.output<typeof decisionBody>

const factVersion = z.looseObject({
  subject: text(poolLimits.part),
  predicate: text(poolLimits.part),
  object: text(poolLimits.part),
  tags,
  /** The ids of its proposal and decision, as in its envelope; empty: the envelope has none. */
  proposal: z.string().max(poolLimits.id),
  decision: z.string().max(poolLimits.id),
  /** The claw that published it. */
  source: id,
  yes: nonNegativeInteger,
  no: nonNegativeInteger,
  publishedAt: instant,
  /** The id of the published record of this book. */
  madeFrom: id.optional(),
})

export const poolFactBody = z.looseObject({
  claw: id,
  by: text(1000),
  group: id,
  /** Its id in envelopes. */
  fact: id,
  /** The claw and device that publish all later versions, so that the fact has one history. */
  home: id,
  homeDevice: z.string().max(poolLimits.id),
  versions: z.record(z.string().regex(/^\d{1,10}$/), factVersion),
  /** `version` and the fields below are derived from `versions`. */
  version: z.number().int().min(1),
  subject: text(poolLimits.part),
  predicate: text(poolLimits.part),
  object: text(poolLimits.part),
  tags,
  votes: z.looseObject({ yes: nonNegativeInteger, no: nonNegativeInteger }),
  publishedAt: instant,
  /** The ids of the records of this book that its versions come from. */
  madeFrom: z.array(id).optional(),
})
export type PoolFactBody = z.output<typeof poolFactBody>
export type PoolFactVersion = z.output<typeof factVersion>

export const clawBody = z.looseObject({
  ...speakerFields,
  displayName: z.string().max(poolLimits.id).optional(),
  model: z.string().max(poolLimits.id).optional(),
  capabilities: z.array(text(poolLimits.capability)).max(poolLimits.capabilities),
  /** Its keys: the admitted or first one, and those that it announced in envelopes signed with one of them. */
  keys: z.array(z.string().max(200)).max(poolLimits.keys).optional(),
  /** Its former keys, the latest `poolLimits.revoked`. They are refused until the owner gives one again. */
  revoked: z.array(z.string().max(200)).max(poolLimits.revoked).optional(),
  /** The owner's decision on a foreign claw. */
  admission: z.looseObject({ state: z.enum(['admitted', 'let_go']), at: instant }).optional(),
  firstSeenAt: instant,
  announcedAt: instant,
})
export type ClawBody = z.output<typeof clawBody>

/** True for an announcement that a guest may write: without keys and admission, which only the owner writes. */
const isPlainAnnouncementOfOwnClaw = (body: ClawBody) =>
  isClawOfItsAgent(body) &&
  body.keys === undefined &&
  body.revoked === undefined &&
  body.admission === undefined

/** Most stored versions of a fact. */
export const maxFactVersions = 50

const highestNumber = (numbered: unknown): number =>
  Math.max(
    0,
    ...Object.keys((numbered ?? {}) as object)
      .map(Number)
      .filter(Number.isSafeInteger),
  )

/** Derives the counted vote: the one with the highest number. */
function deriveBallotFields(body: JsonObject): JsonObject {
  const n = highestNumber(body['votes'])
  const lastVote = (body['votes'] as JsonObject | undefined)?.[plainText(n)] as JsonObject | undefined
  if (!lastVote) return body
  return { ...body, n, vote: lastVote['vote'] ?? 'no', castAt: lastVote['at'] ?? '' }
}

/** Derives a fact's fields from its highest version. */
function deriveFactFields(body: JsonObject): JsonObject {
  const version = highestNumber(body['versions'])
  const versions = (body['versions'] ?? {}) as JsonObject
  const newest = versions[plainText(version)] as JsonObject | undefined
  if (!newest) return body
  const {
    subject = '',
    predicate = '',
    object = '',
    tags: newestTags = [],
    publishedAt = '',
    yes = 0,
    no = 0,
  } = newest
  const storedVersions = Object.entries(versions).filter(([n]) => Number(n) > version - maxFactVersions)
  const { madeFrom: _madeFrom, ...rest } = body
  const sourceIds = [
    ...new Set(
      storedVersions.flatMap(
        ([, numberedVersion]) => ((numberedVersion ?? {}) as JsonObject)['madeFrom'] ?? [],
      ),
    ),
  ]
  return {
    ...rest,
    ...(sourceIds.length === 0 ? {} : { madeFrom: sourceIds }),
    versions: Object.fromEntries(storedVersions),
    version,
    subject,
    predicate,
    object,
    tags: newestTags,
    votes: { yes, no },
    publishedAt,
  }
}

/** The verb that updates or forgets records made from a proposal or record that is gone. */
const rebuildOptions = { rebuildVerb: 'pool:rebuild', neverSealed: true } as const

/** The sources of a ballot or decision: the proposal, which its votes and reasons may quote. */
const proposalIds = ({ proposal }: { readonly proposal: string }) => [proposal]
const madeFromProposal = {
  of: ['pool_proposal'],
  sources: proposalIds,
  goesWith: proposalIds,
  ...rebuildOptions,
} as const

const publishedRecordIds = ({ madeFrom }: PoolProposalBody) => (madeFrom === undefined ? [] : [madeFrom])

/**
 * The ids of the records that a version of a fact comes from: its proposal, and the record that the proposal
 * publishes.
 */
export const sourcesOfVersion = ({ proposal, madeFrom }: PoolFactVersion): string[] => [
  ...(proposal === '' ? [] : [recordIds.proposal(proposal)]),
  ...(madeFrom === undefined ? [] : [madeFrom]),
]

export const poolProposalKind: Kind<'pool_proposal', PoolProposalBody> = {
  ...poolScopeOptions,
  name: 'pool_proposal',
  summary: 'Knowledge that a claw proposes to the others, to be voted on.',
  version: 1,
  schema: poolProposalBody,
  text: ['title', 'statement', 'tags'],
  facets: { happened_at: 'proposedAt', domain: 'group', actor: 'claw', name: 'proposal' },
  idPrefix: 'pool_proposal::',
  policy: 'remote_wins',
  links: ['madeFrom'],
  cites: [{ path: 'madeFrom' }],
  madeFrom: { sources: publishedRecordIds, goesWith: publishedRecordIds, ...rebuildOptions },
  speaker: { path: 'by', listenerFields: [] },
  ownerOnly: (body) => !isClawOfItsAgent(body),
  recallable: false,
}

export const ballotKind: Kind<'pool_ballot', BallotBody> = {
  ...poolScopeOptions,
  name: 'pool_ballot',
  summary: 'The vote of a claw on a proposal: one per claw and proposal.',
  version: 1,
  schema: ballotBody,
  text: [],
  facets: { happened_at: 'castAt', domain: 'group', actor: 'claw', name: 'proposal' },
  idPrefix: 'pool_ballot::',
  policy: 'merge',
  merge: { vote: 'derived', n: 'derived', castAt: 'derived' },
  settle: deriveBallotFields,
  cites: [{ path: 'proposal', rests: () => true }],
  madeFrom: madeFromProposal,
  speaker: { path: 'by', listenerFields: [] },
  ownerOnly: (body) => !isClawOfItsAgent(body),
  recallable: false,
}

export const decisionKind: Kind<'pool_decision', DecisionBody> = {
  ...poolScopeOptions,
  name: 'pool_decision',
  summary: 'The decision on a proposal, with its tally and the counted ballots.',
  version: 1,
  schema: decisionBody,
  text: [],
  facets: { happened_at: 'decidedAt', domain: 'group', actor: 'claw', name: 'proposal', action: 'outcome' },
  idPrefix: 'pool_decision::',
  policy: 'remote_wins',
  cites: [{ path: 'proposal', rests: () => true }],
  madeFrom: madeFromProposal,
  guests: 'read',
  recallable: false,
}

export const poolFactKind: Kind<'pool_fact', PoolFactBody> = {
  ...poolScopeOptions,
  name: 'pool_fact',
  summary: 'A fact that the claws of a group have confirmed by vote, with its versions.',
  version: 1,
  schema: poolFactBody,
  text: ['subject', 'predicate', 'object', 'tags'],
  names: ['subject'],
  facets: { happened_at: 'publishedAt', domain: 'group', actor: 'home', subject: 'subject', name: 'fact' },
  idPrefix: 'pool_fact::',
  policy: 'merge',
  merge: {
    version: 'derived',
    subject: 'derived',
    predicate: 'derived',
    object: 'derived',
    tags: 'derived',
    votes: 'derived',
    publishedAt: 'derived',
    madeFrom: 'derived',
  },
  settle: deriveFactFields,
  links: ['madeFrom', 'versions.*.madeFrom'],
  cites: [{ path: 'madeFrom' }],
  madeFrom: {
    sources: ({ versions }) => Object.values(versions).flatMap(sourcesOfVersion),
    // A fact ends with its newest version, because the group has replaced the earlier ones.
    goesWith: ({ versions, version }) =>
      [versions[plainText(version)] ?? []].flat().flatMap(sourcesOfVersion),
    ...rebuildOptions,
  },
  guests: 'read',
  confirmed: ({ votes: { yes, no }, version }) => ({ votes: { yes, no }, version }),
}

export const clawKind: Kind<'pool_claw', ClawBody> = {
  ...poolScopeOptions,
  name: 'pool_claw',
  summary: 'An agent of the pool, with its capabilities and keys.',
  version: 1,
  schema: clawBody,
  text: ['displayName', 'capabilities'],
  facets: { happened_at: 'announcedAt', domain: 'group', actor: 'claw', name: 'claw' },
  idPrefix: 'pool_claw::',
  policy: 'merge',
  merge: { announcedAt: 'max', firstSeenAt: 'min' },
  ruling: true,
  speaker: { path: 'by', listenerFields: [] },
  ownerOnly: (body) => !isPlainAnnouncementOfOwnClaw(body),
  recallable: false,
}
