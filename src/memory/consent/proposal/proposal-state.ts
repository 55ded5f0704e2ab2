// State of a proposal, derived from its decisions alone. Pure; accepts any JSON object, because bodies come from
// other devices. A review is a round. A rejection wins over every approval of its round; a reopening begins the next
// round. When a round is rejected or reopened, its memory ends and never returns.
// Invariant: decisions and reopenings are only added, so copies with the same ones derive the same state, in any
// order.
import { idPrefixes, hashId } from '../../../core/text/name-id.ts'
import { defined } from '../../../core/defined.ts'
import { isJsonObject, type JsonObject } from '../../../core/json/path.ts'
import { formatTime, parseTime } from '../../../core/time.ts'
import { canonicalText } from '../../../core/text/canonical-json.ts'
import { nameHash } from '../../../core/text/text-key.ts'
import { isAlikeAgent } from '../../../core/text/fold.ts'
import type { Decision } from './proposal-schema.ts'

/** Milliseconds after a review in which it can be reopened. */
export const reopenWindowMs = 600_000
/** Most times that a proposal can be reopened. */
export const maxReopenings = 20

/** A decision with its key in `decisions`. */
interface KeyedDecision extends Decision {
  readonly key: string
}

/** The current round: the highest number in `reopened`, 0 without one. */
export function currentRound({ reopened }: JsonObject): number {
  if (!isJsonObject(reopened)) return 0
  return Object.keys(reopened).reduce(
    (highest, key) => (/^[1-9]\d{0,3}$/.test(key) ? Math.max(highest, Number(key)) : highest),
    0,
  )
}

/** The valid decisions, by time. A decision of the proposer itself never counts. */
function validDecisions({ decisions, by }: JsonObject): KeyedDecision[] {
  if (!isJsonObject(decisions)) return []
  return Object.entries(decisions)
    .flatMap(([key, one]) => (isDecision(one) ? [Object.assign({ key }, one as Decision)] : []))
    .filter((decision) => typeof by !== 'string' || !isAlikeAgent(decision.by, by))
    .sort((a, b) => compare(a.at, b.at) || compare(a.key, b.key))
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

function isDecision(value: unknown): value is Decision {
  return (
    isJsonObject(value) &&
    typeof value['round'] === 'number' &&
    typeof value['at'] === 'string' &&
    typeof value['by'] === 'string' &&
    (value['action'] === 'approve' || value['action'] === 'reject' || value['action'] === 'edit')
  )
}

/** The key of a decision in `decisions`, derived from its content. */
export function decisionKey(decision: Decision): string {
  return `${decision.round}-${nameHash(canonicalText(JSON.parse(JSON.stringify(decision)) as JsonObject)).slice(0, 16)}`
}

/**
 * Id of the memory that an approval makes in a round: the same on every device, different for each round and
 * proposal. A proposal id of the protocol's form gives a memory id of that form.
 */
export function approvedMemoryId(proposal: string, round: number): string {
  const [, suffix] = /^prop_([A-Za-z0-9]+)$/.exec(proposal) ?? []
  return suffix === undefined || suffix.length > 100
    ? hashId('memory', 'approved', proposal, String(round))
    : `${idPrefixes.memory}${suffix}r${round}`
}

/** Id of the memory, or of the standing rule, that an approval of `body` makes in a round. */
export function approvedRecordId(
  proposal: string,
  { rule }: { readonly rule?: unknown },
  round: number,
): string {
  return rule === undefined
    ? approvedMemoryId(proposal, round)
    : hashId('rule', 'approved', proposal, String(round))
}

/** Ids of all memories and rules that the rounds of a proposal may make. */
export function approvedRecordIds(proposal: string): string[] {
  return Array.from({ length: maxReopenings + 1 }, (_, round) => [
    approvedMemoryId(proposal, round),
    approvedRecordId(proposal, { rule: {} }, round),
  ]).flat()
}

/**
 * Id of the existing memory that an approval changes: the only one in `supersedes`; undefined if an approval
 * makes a new memory.
 */
export function revisedMemoryId({ supersedes }: JsonObject): string | undefined {
  const [id, ...others] = Array.isArray(supersedes) ? supersedes : []
  return typeof id === 'string' && others.length === 0 ? id : undefined
}

/**
 * Ids of records whose words a proposal repeats, at least in part: the memories that it would replace, the memory
 * made of it, and the records that contain its text.
 */
export function repeatedRecordIds(id: string, body: JsonObject): string[] {
  const replaced = [body['supersedes'], body['alike']]
    .flatMap((ids) => (Array.isArray(ids) ? ids : []))
    .filter((recordId) => typeof recordId === 'string')
  const decision = currentDecision(body)
  const isMade = decision && decision.action !== 'reject' && revisedMemoryId(body) === undefined
  return isMade ? [...replaced, approvedRecordId(id, body, decision.round)] : replaced
}

/** Ids of the records that the evidence quotes. */
export function quotedRecordIds({ evidence }: JsonObject): string[] {
  return (Array.isArray(evidence) ? evidence : []).flatMap((entry) => {
    const { record, quote } = isJsonObject(entry) ? entry : {}
    return typeof record === 'string' && typeof quote === 'string' ? [record] : []
  })
}

/**
 * The decision that applies in the current round: the last rejection, else the last approval; undefined without
 * any.
 */
export function currentDecision(body: JsonObject): Decision | undefined {
  const round = currentRound(body)
  const decisions = validDecisions(body).filter((decision) => decision.round === round)
  return decisions.findLast(({ action }) => action === 'reject') ?? decisions.at(-1)
}

/** True if the memory of `round` must be forgotten: the round was rejected or reopened. */
export function isEndedRound(body: JsonObject, round: number): boolean {
  if (round < currentRound(body)) return true
  return validDecisions(body).some((decision) => decision.round === round && decision.action === 'reject')
}

/** Ids of the memories and rules, and keys of the revisions (memory/revision.ts), that the proposal `id` has ended. */
export function endedRecordIds(id: string, body: JsonObject): string[] {
  const rounds = new Set(validDecisions(body).map(({ round }) => round))
  return [...rounds]
    .filter((round) => isEndedRound(body, round))
    .map((round) => approvedRecordId(id, body, round))
}

/** True for a decision whose words belong to a memory that was removed: its round ended. */
function isEndedDecision(body: JsonObject, { round, action }: Decision): boolean {
  return round < currentRound(body) || (action !== 'reject' && isEndedRound(body, round))
}

/**
 * Returns `body` without the words of decisions of ended rounds. The decisions stay, because they define the
 * rounds.
 */
function withoutEndedTexts(body: JsonObject): JsonObject {
  const endedDecisions = validDecisions(body).filter(
    (decision) => isEndedDecision(body, decision) && hasTexts(decision),
  )
  if (endedDecisions.length === 0) return body
  const withoutTexts = endedDecisions.map(
    ({ key, edited: _edited, reason: _reason, ...made }) => [key, made] as const,
  )
  const decisions = {
    ...(body['decisions'] as JsonObject),
    ...Object.fromEntries(withoutTexts),
  } as JsonObject
  return { ...body, decisions }
}

const hasTexts = ({ edited, reason }: Decision) => edited !== undefined || reason !== undefined

/** True if a review in `before` has words that `after` lacks. */
export function removesDecisionTexts(before: JsonObject, after: JsonObject): boolean {
  const remaining = new Map(validDecisions(after).map((decision) => [decision.key, decision]))
  return validDecisions(before).some((decision) => {
    const now = remaining.get(decision.key)
    return hasTexts(decision) && (now ? !hasTexts(now) : isEndedDecision(after, decision))
  })
}

/** Status and resolution of a proposal by its decision. */
const outcomes = {
  approve: { status: 'approved', action: 'approved' },
  edit: { status: 'edited', action: 'approved_with_edits' },
  reject: { status: 'rejected', action: 'rejected' },
} as const satisfies Record<Decision['action'], object>

/** Returns `input` with derived status and resolution, and without the words of ended rounds. */
export function settleProposal(input: JsonObject): JsonObject {
  const body = withoutEndedTexts(input)
  const { resolution: _before, ...rest } = body
  const decision = currentDecision(body)
  if (decision) {
    const { edited = {}, at, reason } = decision
    const { status, action } = outcomes[decision.action]
    const resolution: JsonObject = {
      resolvedAt: at,
      action,
      ...defined({
        editedContent: edited.content,
        editedCategory: edited.category,
        editedMemoryType: edited.memory_type,
        reason,
      }),
    }
    return { ...rest, status, resolution }
  }
  const { withdrawn } = body
  if (isJsonObject(withdrawn) && typeof withdrawn['at'] === 'string')
    return { ...rest, status: 'withdrawn', resolution: { resolvedAt: withdrawn['at'], action: 'withdrawn' } }
  return { ...rest, status: 'pending' }
}

/** True for a proposal that was ever reviewed or reopened. */
export function isDecided(body: JsonObject): boolean {
  const has = (value: unknown) => isJsonObject(value) && Object.keys(value).length > 0
  const { status } = body
  return has(body['decisions']) || has(body['reopened']) || (status !== 'pending' && status !== 'withdrawn')
}

/** Returns the proposal without any decision or reopening. */
export function undecidedProposal(body: JsonObject): JsonObject {
  const { decisions: _decisions, reopened: _reopened, ...rest } = body
  return settleProposal(rest)
}

/** Milliseconds after a reopening for which the proposal can be reviewed at least: a day. */
const reopenedValidityMs = 86_400_000

/** Canonical time until which the last reopening keeps the proposal open; undefined if it was never reopened. */
export function reopenedUntil(body: JsonObject): string | undefined {
  const { reopened } = body
  const last = isJsonObject(reopened) ? reopened[String(currentRound(body))] : undefined
  const at = isJsonObject(last) && typeof last['at'] === 'string' ? parseTime(last['at']) : undefined
  return at === undefined ? undefined : formatTime(at + reopenedValidityMs)
}
