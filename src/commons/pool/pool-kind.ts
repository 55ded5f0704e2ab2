// The records of the pool: proposals, ballots, decisions, facts and claws. They are synced between the owner's devices, since
// a claw takes in nothing that it said itself: what one device of it proposed another one hears of as a record.
// Invariant: a guest of this book speaks through its own proposals, ballots and announcements alone; what others said, what
// was decided and what is a fact nobody changes but the owner's engine.
import { z } from 'zod'
import type { JsonObject } from '../../core/json/path.ts'
import type { Kind } from '../../core/kind.ts'
import { recordIds } from '../../core/pool/pool-record-id.ts'
import { plainText } from '../../core/text/plain-text.ts'
import { poolLimits } from '../../shape/envelope.ts'
import { speaksFor } from './rule/claw-id.ts'

const id = z.string().min(1).max(poolLimits.id)
const instant = z.string().min(1).max(64)
const text = (most: number) => z.string().min(1).max(most)
const tags = z.array(text(poolLimits.tag)).max(poolLimits.tags)
const count = z.number().int().min(0)

/** First segment of the names of all that is of the pool in scopes: `pool:<group>`. */
const shared = { scopedAs: 'pool', scopedBy: 'domain', embed: false } as const

/** Who said it: a claw and, where that is one of this book's, its agent as `by`; else the claw again. */
const speaker = { claw: id, by: text(1000), group: id }

/** True for what a guest can say in its own name: its claw is its own agent's. */
const isOwnWord = ({ claw, by }: { readonly claw: string; readonly by: string }) => speaksFor(by, claw)

export const proposedFact = z.strictObject({
  id,
  version: z.number().int().min(1),
  subject: text(poolLimits.part),
  predicate: text(poolLimits.part),
  object: text(poolLimits.part),
})

export const proposalBody = z.looseObject({
  ...speaker,
  /** Its id among claws. */
  proposal: id,
  instance: id,
  trace: id,
  title: z.string().max(poolLimits.title).optional(),
  statement: text(poolLimits.statement),
  tags,
  proposed_at: instant,
  /** When it is given up undecided. */
  expires_at: instant,
  /** What it becomes when it is approved; absent: whoever publishes it says. */
  fact: proposedFact.optional(),
  /** The record of this book that it says. It is told to nobody else. */
  made_from: id.optional(),
})
export type ProposalBody = z.output<typeof proposalBody>

const cast = z.looseObject({
  vote: z.enum(['yes', 'no']),
  at: instant,
  reason: z.string().max(poolLimits.reason).optional(),
})

export const ballotBody = z.looseObject({
  ...speaker,
  /** The id of the record of its proposal. */
  proposal: id,
  /** Every vote of this claw by its number: `1`, `2`, … The last one counts. */
  votes: z.record(z.string().regex(/^\d{1,7}$/), cast),
  /** What follows from `votes`. */
  vote: z.enum(['yes', 'no']),
  n: count,
  cast_at: instant,
})
export type BallotBody = z.output<typeof ballotBody>

export const decisionBody = z.looseObject({
  ...speaker,
  /** The id of the record of its proposal. */
  proposal: id,
  outcome: z.enum(['approved', 'rejected', 'expired']),
  yes: count,
  no: count,
  reason: z.string().max(poolLimits.reason),
  /** How many votes it took, of which claws that were active then, and the ballots that were counted. */
  quorum: count.optional(),
  active: z.array(id).optional(),
  ballots: z.array(z.looseObject({ claw: id, vote: z.enum(['yes', 'no']), n: count })).optional(),
  decided_at: instant,
})
export type DecisionBody = z.output<typeof decisionBody>

const factVersion = z.looseObject({
  subject: text(poolLimits.part),
  predicate: text(poolLimits.part),
  object: text(poolLimits.part),
  tags,
  /** The ids of its proposal and decision among claws. */
  proposal: z.string().max(poolLimits.id),
  decision: z.string().max(poolLimits.id),
  source: id,
  yes: count,
  no: count,
  published_at: instant,
  /** The record of this book that was published. */
  made_from: id.optional(),
})

export const factBody = z.looseObject({
  claw: id,
  by: text(1000),
  group: id,
  /** Its id among claws. */
  fact: id,
  /** The claw, and its device, that alone publishes what comes after the first version: so it has one history. */
  home: id,
  home_device: z.string().max(poolLimits.id),
  versions: z.record(z.string().regex(/^\d{1,10}$/), factVersion),
  /** What follows from `versions`. */
  version: z.number().int().min(1),
  subject: text(poolLimits.part),
  predicate: text(poolLimits.part),
  object: text(poolLimits.part),
  tags,
  votes: z.looseObject({ yes: count, no: count }),
  published_at: instant,
  /** The records of this book that its versions say. */
  made_from: z.array(id).optional(),
})
export type FactBody = z.output<typeof factBody>
export type FactVersion = z.output<typeof factVersion>

export const clawBody = z.looseObject({
  ...speaker,
  display_name: z.string().max(poolLimits.id).optional(),
  model: z.string().max(poolLimits.id).optional(),
  capabilities: z.array(text(poolLimits.capability)).max(poolLimits.capabilities),
  /** The keys by which it is known: that with which it was first seen to sign, and those of which it said so under it. */
  keys: z.array(z.string().max(200)).max(poolLimits.keys).optional(),
  /** Keys that were its own and are not any more: it can't bring them back. */
  revoked: z.array(z.string().max(200)).max(poolLimits.revoked).optional(),
  /** What the owner has decided about a claw of somebody else. */
  admission: z.looseObject({ state: z.enum(['admitted', 'let_go']), at: instant }).optional(),
  first_seen_at: instant,
  announced_at: instant,
})
export type ClawBody = z.output<typeof clawBody>

/** A guest says what it can do; by which key a claw is known, and whether it counts, is the owner's word. */
const isOwnIntroduction = (body: ClawBody) =>
  isOwnWord(body) && body.keys === undefined && body.revoked === undefined && body.admission === undefined

/** As many versions of a fact are kept beside the current one. */
export const versionLimit = 50

const highest = (numbered: unknown): number =>
  Math.max(
    0,
    ...Object.keys((numbered ?? {}) as object)
      .map(Number)
      .filter(Number.isSafeInteger),
  )

/** The last vote is the one that counts. */
function settleBallot(body: JsonObject): JsonObject {
  const n = highest(body['votes'])
  const last = (body['votes'] as JsonObject | undefined)?.[plainText(n)] as JsonObject | undefined
  if (!last) return body
  return { ...body, n, vote: last['vote'] ?? 'no', cast_at: last['at'] ?? '' }
}

/** What a fact says is what its highest version says. */
function settleFact(body: JsonObject): JsonObject {
  const version = highest(body['versions'])
  const versions = (body['versions'] ?? {}) as JsonObject
  const last = versions[plainText(version)] as JsonObject | undefined
  if (!last) return body
  const {
    subject = '',
    predicate = '',
    object = '',
    tags: said = [],
    published_at = '',
    yes = 0,
    no = 0,
  } = last
  const kept = Object.entries(versions).filter(([n]) => Number(n) > version - versionLimit)
  const { made_from: _made, ...rest } = body
  const made = [...new Set(kept.flatMap(([, one]) => ((one ?? {}) as JsonObject)['made_from'] ?? []))]
  return {
    ...rest,
    ...(made.length === 0 ? {} : { made_from: made }),
    versions: Object.fromEntries(kept),
    version,
    subject,
    predicate,
    object,
    tags: said,
    votes: { yes, no },
    published_at,
  }
}

/** The verb that ends what rests on a proposal, or a version of a fact, that is gone. */
const anew = 'pool:tell_anew'

/** Votes and reasons may quote their proposal. */
const ofProposal = ({ proposal }: { readonly proposal: string }) => [proposal]
const aboutProposal = {
  of: ['pool_proposal'],
  sources: ofProposal,
  goesWith: ofProposal,
  anew,
  neverSealed: true,
} as const

const publishedRecord = ({ made_from }: ProposalBody) => (made_from === undefined ? [] : [made_from])

/** The records that a version of a fact says: its proposal, and what that was made from. */
export const sourcesOfVersion = ({ proposal, made_from }: FactVersion): string[] => [
  ...(proposal === '' ? [] : [recordIds.proposal(proposal)]),
  ...(made_from === undefined ? [] : [made_from]),
]

export const proposalKind: Kind<'pool_proposal', ProposalBody> = {
  ...shared,
  name: 'pool_proposal',
  summary: 'What a claw proposes to the others as knowledge, to be voted on.',
  version: 1,
  schema: proposalBody,
  text: ['title', 'statement', 'tags'],
  facets: { happened_at: 'proposed_at', domain: 'group', actor: 'claw', name: 'proposal' },
  idPrefix: 'pool_proposal::',
  policy: 'remote_wins',
  links: ['made_from'],
  cites: [{ path: 'made_from' }],
  madeFrom: { sources: publishedRecord, goesWith: publishedRecord, anew, neverSealed: true },
  speaker: { path: 'by', listenerFields: [] },
  ownerOnly: (body) => !isOwnWord(body),
  recallable: () => false,
}

export const ballotKind: Kind<'pool_ballot', BallotBody> = {
  ...shared,
  name: 'pool_ballot',
  summary: 'How a claw votes on a proposal: one for each claw and proposal.',
  version: 1,
  schema: ballotBody,
  text: [],
  facets: { happened_at: 'cast_at', domain: 'group', actor: 'claw', name: 'proposal' },
  idPrefix: 'pool_ballot::',
  policy: 'merge',
  merge: { vote: 'derived', n: 'derived', cast_at: 'derived' },
  settle: settleBallot,
  cites: [{ path: 'proposal', rests: () => true }],
  madeFrom: aboutProposal,
  speaker: { path: 'by', listenerFields: [] },
  ownerOnly: (body) => !isOwnWord(body),
  recallable: () => false,
}

export const decisionKind: Kind<'pool_decision', DecisionBody> = {
  ...shared,
  name: 'pool_decision',
  summary: 'What became of a proposal, with the tally and the ballots that were counted.',
  version: 1,
  schema: decisionBody,
  text: [],
  facets: { happened_at: 'decided_at', domain: 'group', actor: 'claw', name: 'proposal', action: 'outcome' },
  idPrefix: 'pool_decision::',
  policy: 'remote_wins',
  cites: [{ path: 'proposal', rests: () => true }],
  madeFrom: aboutProposal,
  guests: 'read',
  recallable: () => false,
}

export const factKind: Kind<'pool_fact', FactBody> = {
  ...shared,
  name: 'pool_fact',
  summary: 'What the claws of a group have confirmed by vote, with its versions.',
  version: 1,
  schema: factBody,
  text: ['subject', 'predicate', 'object', 'tags'],
  names: ['subject'],
  facets: { happened_at: 'published_at', domain: 'group', actor: 'home', subject: 'subject', name: 'fact' },
  idPrefix: 'pool_fact::',
  policy: 'merge',
  merge: {
    version: 'derived',
    subject: 'derived',
    predicate: 'derived',
    object: 'derived',
    tags: 'derived',
    votes: 'derived',
    published_at: 'derived',
    made_from: 'derived',
  },
  settle: settleFact,
  links: ['made_from', 'versions.*.made_from'],
  cites: [{ path: 'made_from' }],
  madeFrom: {
    sources: ({ versions }) => Object.values(versions).flatMap(sourcesOfVersion),
    // A fact ends with its last version: the earlier ones were replaced by the group.
    goesWith: ({ versions, version }) =>
      [versions[plainText(version)] ?? []].flat().flatMap(sourcesOfVersion),
    anew,
    neverSealed: true,
  },
  guests: 'read',
  confirmed: ({ votes: { yes, no }, version }) => ({ votes: { yes, no }, version }),
}

export const clawKind: Kind<'pool_claw', ClawBody> = {
  ...shared,
  name: 'pool_claw',
  summary: 'An agent of the pool: what it can do, and the key by which it is known.',
  version: 1,
  schema: clawBody,
  text: ['display_name', 'capabilities'],
  facets: { happened_at: 'announced_at', domain: 'group', actor: 'claw', name: 'claw' },
  idPrefix: 'pool_claw::',
  policy: 'merge',
  merge: { announced_at: 'max', first_seen_at: 'min' },
  ruling: true,
  speaker: { path: 'by', listenerFields: [] },
  ownerOnly: (body) => !isOwnIntroduction(body),
  recallable: () => false,
}
