// Stores a proposal.
// Invariant: a proposal is in the caller's own name, about memories that the caller may propose, with evidence that
// the caller can read. A pending proposal is not stored twice, and no agent exceeds the rate limits.
import { idPrefixes, hashId } from '../../../core/text/name-id.ts'
import { isNamedIn, reachLevels } from '../../../core/access/reach.ts'
import { matchesScope, type ScopePattern } from '../../../core/access/scope.ts'
import { type Caller, countedAs } from '../../../core/capability/caller.ts'
import type { WriteContext } from '../../../core/capability/context.ts'
import { DaybookError, notFound, invalidInput } from '../../../core/errors.ts'
import type { JsonObject } from '../../../core/json/path.ts'
import { isLowered, isSealing, type Sensitivity } from '../../../core/sealed.ts'
import { bodyOf as bodyOfRecord } from '../../../core/record.ts'
import { fold } from '../../../core/text/fold.ts'
import { formatTime, parseTime } from '../../../core/time.ts'
import { endingOf } from '../../../core/zone.ts'
import { classifyByPatterns } from '../memory/classify.ts'
import { didOfAgent } from '../../../shape/did.ts'
import { memoryScopeNames, raisedSensitivity } from '../memory/category.ts'
import { asMemory, requireMemory } from '../memory/stored-memory.ts'
import { quotedRecordIds, revisedMemoryId } from './proposal-state.ts'
import type { z } from 'zod'
import type { Proposal, ProposalBody, ProposedMemory, proposeInput } from './proposal-schema.ts'

/** True if both name one agent, by its name or its DID. */
export function isSameAgent(a: string, b: string): boolean {
  return a === b || didOfAgent(a) === didOfAgent(b)
}

type ProposeContext = WriteContext<'records' | 'own'>

/** Most proposals that wait in a book. */
export const pendingLimit = 200
/** Category of proposed rules. */
export const ruleCategory = 'a2p:rules'
/** Most proposals of an agent in an hour, most pending ones in a book; default and most days until a proposal expires. */
const proposalLimits = {
  hourly: 20,
  pending: pendingLimit,
  dayMs: 86_400_000,
  defaultDays: 7,
  maxDays: 366,
} as const
const hourMs = 3_600_000
/** Defaults of optional fields. */
const defaults = { category: 'a2p:context', memory_type: 'episodic', confidence: 0.7 } as const

type ProposeInput = z.output<typeof proposeInput>

/**
 * Category, type and confidence of the proposed memory. Without them, the only memory that it replaces keeps its own: a
 * correction must not move a memory out of the reach of a policy. `at.records` has no memory that the caller can't read.
 */
function classOf(
  input: ProposeInput,
  { content, category, memory_type, confidence }: ProposedMemory['memory'],
  { records }: ProposeContext,
): Pick<ProposalBody, 'category' | 'memory_type' | 'confidence'> {
  const replacedId = revisedMemoryId(input as never)
  const replaced = replacedId === undefined ? undefined : asMemory(records.get(replacedId))
  const classified = input.classify ? classifyByPatterns(content).memory_type : undefined
  return {
    category: category ?? (input.rule ? ruleCategory : replaced?.category) ?? defaults.category,
    memory_type: memory_type ?? classified ?? replaced?.memory_type ?? defaults.memory_type,
    confidence: confidence ?? replaced?.confidence ?? defaults.confidence,
  }
}

/** Makes the body of a proposal. Throws if the caller may not propose it. */
function createBody(
  input: ProposeInput,
  { memory, proposer, proposerPath }: ProposedMemory,
  at: ProposeContext,
): ProposalBody {
  const { now, scope, caller } = at.call
  const by = scope.agent
  if (proposer.agentDid !== undefined && !isSameAgent(proposer.agentDid, by)) {
    throw new DaybookError('forbidden', `\`${by}\` may propose in its own name only.`, {
      details: { path: proposerPath },
    })
  }
  const { proposedAt = now } = input
  if (proposedAt > now) throw invalidInput('proposedAt', 'It is in the future')
  const proposedMs = parseTime(proposedAt) ?? 0
  const { expiresAt = formatTime(proposedMs + proposalLimits.defaultDays * proposalLimits.dayMs) } = input
  if (expiresAt <= proposedAt) throw invalidInput('expiresAt', 'It is not after `proposedAt`')
  const nowMs = parseTime(now) ?? 0
  if (expiresAt > formatTime(nowMs + proposalLimits.maxDays * proposalLimits.dayMs))
    throw invalidInput('expiresAt', `It is more than ${proposalLimits.maxDays} days from now`)
  const { category, memory_type, confidence } = classOf(input, memory, at)
  if (caller.role === 'guest' && !isNamedIn(caller.reach, memoryScopeNames(memory_type, category))) {
    throw new DaybookError(
      'forbidden',
      'The scope of the token does not include memories of that category and type.',
      {
        details: { path: 'scope' },
      },
    )
  }
  assertPoliciesAllow(caller, memoryScopeNames(memory_type, category))
  assertSourcesReadable(input, at)
  const { agentDid = didOfAgent(by), ...named } = proposer
  const { suggestedScope, suggestedTags, suggestedSensitivity } = memory
  return {
    by,
    agentDid,
    ...named,
    content: memory.content,
    category,
    memory_type,
    confidence,
    suggestedSensitivity,
    labels: suggestedScope,
    tags: suggestedTags,
    context: input.context,
    evidence: input.evidence,
    priority: input.priority,
    rule: input.rule && endedRule(input.rule, at),
    similarTo: input.similarTo,
    supersedes: input.supersedes,
    proposedAt,
    expiresAt,
    status: 'pending',
  }
}

/** `rule` with the end of a bare date. Throws `invalid-input` if its validity has ended. */
function endedRule(
  { valid_until, ...rule }: NonNullable<ProposeInput['rule']>,
  { call: { now, zone } }: ProposeContext,
): NonNullable<ProposalBody['rule']> {
  if (valid_until === undefined) return rule
  const end = endingOf(valid_until, zone)
  if (end <= now) throw invalidInput('rule.valid_until', 'It is in the past')
  return { ...rule, valid_until: end }
}

/**
 * Throws `consent-required` if a policy denies these names to any holder of the caller's chain; or, if the caller
 * may propose only by policies, unless a policy allows them.
 */
function assertPoliciesAllow(caller: Caller, names: readonly string[]): void {
  if (caller.role === 'owner') return
  const isNamed = (patterns: readonly ScopePattern[]) =>
    patterns.some((pattern) => names.some((name) => matchesScope(pattern, name)))
  const isDenied = reachLevels(caller.reach).some(({ governed }) => governed && isNamed(governed.deny))
  if (!isDenied && (caller.proposes === undefined || isNamed(caller.proposes))) return
  throw new DaybookError(
    'consent-required',
    'The policies of this book accept no proposal of that category and type.',
    {
      details: { path: 'category', reason: 'policy' },
    },
  )
}

/** Throws `not-found` for a source that the caller can't read: accepting it would reveal that it exists. */
function assertSourcesReadable(
  { evidence = [], similarTo = [], supersedes = [] }: ProposeInput,
  { records }: ProposeContext,
): void {
  evidence.forEach(({ record }, i) => {
    if (record !== undefined && !records.get(record)) {
      throw notFound('record', record, `evidence.${i}.record`)
    }
  })
  similarTo.forEach((id, i) => requireMemory(records, id, `similarTo.${i}`))
  supersedes.forEach((id, i) => requireMemory(records, id, `supersedes.${i}`))
}

/** Ids of those records of `ids` that contain `content`. */
function idsContaining(content: string, ids: readonly string[], { records }: ProposeContext): string[] {
  const text = fold(content.trim())
  const containsText = (value: unknown): boolean =>
    typeof value === 'string'
      ? fold(value).includes(text)
      : typeof value === 'object' && value !== null && Object.values(value).some(containsText)
  return [...new Set(ids)].filter((id) => {
    const record = records.get(id)
    return record !== undefined && containsText(bodyOfRecord(record))
  })
}

/** The agent's pending proposal of the same text in the same category; undefined without one. */
function findSamePending(
  { own, call }: ProposeContext,
  { by, category, content }: ProposalBody,
): Proposal | undefined {
  const filters = { by, category, status: 'pending', expiresAt: { gt: call.now } }
  const { records } = own.query({ kind: 'proposal', filters, limit: 1000 })
  const text = fold(content.trim())
  return (records as unknown as Proposal[]).find(
    (proposal) => typeof proposal.content === 'string' && fold(proposal.content.trim()) === text,
  )
}

/** Throws `rate-limited` if one more proposal exceeds a limit. An agent and its delegates count together. */
function assertRateLimits({ own, call: { now, caller } }: ProposeContext, by: string): void {
  const agent = countedAs(caller, by)
  const { hourly, pending } = proposalLimits
  const nowMs = parseTime(now) ?? 0
  const since = formatTime(nowMs - hourMs + 1)
  if (own.countMade({ kind: 'proposal', agent, since }) >= hourly) {
    // The first of this agent alone: `retryAfterMs` is an estimate if its delegates proposed too.
    const ownFilters = { agent: by, created_at: { gte: since } }
    const [first] = own.query({
      kind: 'proposal',
      filters: ownFilters,
      orderBy: 'created_at',
      limit: 1,
    }).records
    const freeAtMs = (parseTime(first?.created_at ?? now) ?? nowMs) + hourMs
    throw new DaybookError('rate-limited', `\`${agent}\` has made ${hourly} proposals within an hour.`, {
      details: { path: 'agent', limit: hourly, retryAfterMs: Math.max(1, freeAtMs - nowMs) },
    })
  }
  if (own.countWhere('proposal', { status: 'pending', expiresAt: { gt: now } }) < pending) return
  throw new DaybookError(
    'rate-limited',
    `${pending} proposals wait for the user: there is room once one is decided or expires.`,
    {
      details: { path: 'status', limit: pending, retryAfterMs: hourMs },
    },
  )
}

/**
 * Returns an id that derives from proposer and content, so that two devices that propose the same make one record.
 * A sealed proposal gets a random id: otherwise anyone who sees ids could guess its content.
 */
function newProposalId(
  { own }: ProposeContext,
  { by, category, content }: ProposalBody,
  sensitivity: Sensitivity,
): string {
  if (isSealing(sensitivity)) return idPrefixes.proposal + own.newId().replaceAll('-', '')
  // Ids of former proposals of the same text stay taken, so count on.
  for (let attempt = 0; ; attempt++) {
    const id = hashId('proposal', 'proposal', by, category, fold(content.trim()), String(attempt))
    if (own.isFree(id)) return id
  }
}

interface ProposeResult {
  readonly id: string
  /** `duplicate`: nothing was stored; `id` and `proposal` are those of the pending proposal. */
  readonly result: 'proposed' | 'duplicate'
  readonly proposal: Proposal | ProposalBody
}

/** Stores a proposal, or returns the agent's same pending one. Call it in a transaction. */
export function propose(input: ProposeInput, proposed: ProposedMemory, at: ProposeContext): ProposeResult {
  const body = createBody(input, proposed, at)
  const pending = findSamePending(at, body)
  if (pending) return { id: pending.id, result: 'duplicate', proposal: pending }
  assertRateLimits(at, body.by)
  if (input.id !== undefined && !at.own.isFree(input.id)) {
    throw new DaybookError('conflict', `\`${input.id}\` is taken; leave the id out to get a new one.`, {
      details: { path: 'id' },
    })
  }
  const referencedIds = [
    ...(body.evidence ?? []).flatMap(({ record }) => record ?? []),
    ...(body.similarTo ?? []),
  ]
  // A proposal is at least as sensitive as every record whose words it repeats.
  const alike = idsContaining(body.content, referencedIds, at)
  const baseSensitivity = raisedSensitivity(body.category, body.suggestedSensitivity)
  const sensitivity = [...(input.supersedes ?? []), ...alike, ...quotedRecordIds(body as never)]
    .map((source) => at.records.get(source)?.sensitivity)
    .reduce<Sensitivity>(
      (highest, level) => (level !== undefined && isLowered(highest, level) ? level : highest),
      baseSensitivity,
    )
  const id = input.id ?? newProposalId(at, body, sensitivity)
  const json = JSON.parse(JSON.stringify(alike.length > 0 ? { ...body, alike } : body)) as JsonObject
  at.own.put({ kind: 'proposal', id, body: json, scope: { sensitivity, agent: body.by } })
  return { id, result: 'proposed', proposal: body }
}
