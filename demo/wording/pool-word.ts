// Events of a pool of agents in sentences: the result of an envelope, the reason of a decision, the rules.
// Invariant: an unknown reason is shown as it is.
import { countOf } from './text-word.ts'

/** Types of envelopes. An unreadable one has none. */
export const envelopeWords: Readonly<Record<string, string>> = {
  proposal: 'Proposal',
  vote: 'Vote',
  decision: 'Decision',
  fact: 'Fact',
  presence: 'Presence',
  capabilities: 'Capabilities',
}

export function envelopeWord(type: string): string {
  return envelopeWords[type] ?? (type === '' ? 'Unreadable' : type)
}

export const resultWords = {
  accepted: 'Accepted',
  duplicate: 'Duplicate',
  stale: 'Stale',
  conflict: 'Conflict',
  ignored: 'Ignored',
  rejected: 'Rejected',
} as const
export type AuditResult = keyof typeof resultWords

/** The result of an envelope, by reason. */
const reasons: Readonly<Record<string, string>> = {
  sent: 'Written by this book and put into the outbox.',
  active: 'The agent is active.',
  stopping: 'The agent said that it is stopping.',
  capabilities: 'The agent said what it can do.',
  unchanged: 'The agent said the same about itself as before.',
  new_proposal: 'A new proposal.',
  existing_proposal: 'The proposal was already known.',
  fact_of_another_proposal: 'It claims the fact of another proposal.',
  new_vote: 'The first vote of this agent on the proposal.',
  changed_vote: 'The agent changed its vote.',
  earlier_vote: 'An earlier vote of the agent that came late; the later one counts.',
  already_cast: 'This vote had already been counted.',
  already_decided: 'The proposal had already been decided.',
  unknown_proposal: 'The proposal it is about is not known here.',
  vote_number_reused: 'The agent used the number of an earlier vote for a different one.',
  too_many_changes: 'The agent changed its vote more often than is allowed.',
  new_decision: 'The proposal is decided.',
  same_outcome: 'The proposal was already decided with the same outcome.',
  other_outcome: 'The proposal was already decided with another outcome, which stands.',
  not_the_decider: 'It was not this agent’s turn to decide the proposal.',
  tally_mismatch: 'The tally does not match the votes.',
  below_three_active: 'Fewer than three agents were active, so nothing could be decided.',
  quorum_mismatch: 'It counts with another quorum than the active agents make.',
  below_quorum: 'The votes do not reach the quorum.',
  new_fact: 'A new fact.',
  sequential_update: 'The next version of a known fact.',
  duplicate_or_stale: 'This version of the fact is already known.',
  no_approved_decision: 'No approved decision stands behind the fact.',
  not_what_was_voted_on: 'It says something else than was voted on.',
  not_the_publisher: 'Only the agent that published the first version may publish the next one.',
  invalid_version: 'Versions of a fact begin at 1.',
  new_fact_must_start_at_v1: 'An earlier version of this fact is missing here.',
  version_regression_content_mismatch: 'This version is already known with other words.',
  same_envelope: 'The same envelope came before.',
  idempotency_key_reused: 'Another envelope of this agent came with the same key before.',
  older_than_known: 'Something newer is known of this agent.',
  governance_disabled: 'Governance is off, so votes and facts are ignored.',
  other_group: 'It is for another group.',
  own_envelope: 'Another device of this book wrote it.',
  own_claw_unverified: 'It uses the name of this book’s agent without one of its keys.',
  signature_required: 'It is not signed.',
  bad_signature: 'Its signature does not match.',
  key_changed: 'It is signed with a key that is not known to be this agent’s.',
  flood: 'The agent sent more envelopes per second than allowed.',
}

const gap = /^version_gap_(\d+)_to_(\d+)$/
const warning = /^warning: (.+)$/
const waits = /^waits: (.+)$/

/** True if `reason` has a sentence here. Faults of unreadable envelopes are sentences already. */
export function isKnownReason(reason: string): boolean {
  return Object.hasOwn(reasons, reason) || gap.test(reason)
}

export function reasonSentence(reason: string): string {
  const sentence = reasons[reason]
  if (sentence !== undefined) return sentence
  const [, from, to] = gap.exec(reason) ?? []
  if (from !== undefined) return `Versions are missing: ${from} is known, ${to} came.`
  const [, late] = waits.exec(reason) ?? []
  if (late !== undefined) return waitingSentence(late)
  const [, doubt] = warning.exec(reason) ?? []
  if (doubt !== undefined) return `Accepted with a warning: ${doubtWord(doubt)}.`
  return `The envelope is not valid: ${reason}.`
}

function waitingSentence(reason: string): string {
  if (reason === 'unknown_proposal') return 'Waiting for the proposal it is about.'
  if (reason === 'tally_mismatch') return 'Waiting for the votes it counts.'
  if (reason === 'no_approved_decision') return 'Waiting for the decision behind the fact.'
  return `Waiting: ${reasonSentence(reason)}`
}

const doubtWord = (doubt: string) =>
  doubt === 'unsigned'
    ? 'it is not signed'
    : doubt === 'bad_signature'
      ? 'its signature does not match'
      : doubt

/** The reason of a decision. */
const decisions: Readonly<Record<string, string>> = {
  'quorum reached': 'Enough agents approved it.',
  'rejected by quorum': 'Enough agents rejected it.',
  'voting timeout': 'The time to vote ran out without a majority.',
  'pool below min size': 'Approved without votes: the pool was smaller than its minimum.',
  'voting disabled': 'Approved without votes: voting is off in this pool.',
}

export function decisionSentence(reason: string): string {
  return decisions[reason] ?? reason
}

export interface PoolRules {
  readonly verify: 'off' | 'warn' | 'require'
  readonly selfVote: boolean
  readonly compatibility: boolean
  readonly quorum:
    | { readonly rule: 'majority' }
    | {
        readonly rule: 'fixed'
        readonly enabled: boolean
        readonly minPool: number
        readonly yes: number
        readonly no: number
        readonly belowMinimum: 'wait' | 'approve'
      }
  readonly timeout: string
  readonly tagsAllowed: readonly string[]
  readonly tagsDenied: readonly string[]
}

const verifying = {
  off: 'Signatures are not checked.',
  warn: 'Envelopes without a valid signature are accepted with a warning.',
  require: 'Only signed envelopes are accepted; an agent is known by the key it first signed with.',
} as const

function quorumSentences({ quorum }: PoolRules): string[] {
  if (quorum.rule === 'majority')
    return ['A proposal is decided by a majority of the agents that are active, at least three.']
  if (!quorum.enabled) return ['Proposals are approved without a vote.']
  const below = quorum.belowMinimum === 'wait' ? 'proposals wait' : 'proposals are approved without a vote'
  return [
    `A proposal is approved with ${quorum.yes} and rejected with ${quorum.no} votes.`,
    `While fewer than ${quorum.minPool} agents are known, ${below}.`,
  ]
}

const named = (tags: readonly string[]) => (tags.length === 0 ? 'none' : tags.join(', '))

/** The rules by which this book takes part. */
export function ruleSentences(rules: PoolRules): string[] {
  return [
    ...quorumSentences(rules),
    rules.selfVote ? 'The proposer’s own vote counts.' : 'The proposer’s own vote does not count.',
    rules.compatibility
      ? 'A vote cannot be changed.'
      : 'A vote can be changed until the proposal is decided.',
    `Proposals of this book expire after ${rules.timeout}.`,
    verifying[rules.verify],
    `Only records with one of these tags may leave this book: ${named(rules.tagsAllowed)}.`,
    `Records with one of these tags never leave it: ${named(rules.tagsDenied)}.`,
  ]
}

/** The carriers between books. */
const ways: Readonly<Record<string, string>> = {
  tabs: 'Books of this origin',
  edge: 'The edge',
  kafka: 'Kafka',
}

export function wayWord(carrier: string): string {
  return ways[carrier] ?? carrier
}

/** The state of a carrier: connected or not, and its pending envelopes. */
export function connectionWord(waiting: number, fault: string | undefined): string {
  const late = waiting === 0 ? '' : `${countOf(waiting, 'envelope')} to be sent`
  if (fault === undefined) return late === '' ? 'Connected, nothing waits to be sent' : `Connected, ${late}`
  return late === '' ? fault : `${late}. ${fault}`
}

interface NeededVotes {
  readonly yes: number
  readonly least: number
}

/** The number of active agents, and its effect on votes. */
export function silenceSentence(active: number, { yes, least }: NeededVotes): string {
  const there = `${countOf(active, 'agent')} active, this book included.`
  return active < least
    ? `${there} Nothing is decided before there are ${least}.`
    : `${there} ${countOf(yes, 'vote')} decide.`
}

interface VoteState {
  readonly yes: number
  readonly no: number
  readonly active: number
  readonly least: number
  readonly isTooSmall: boolean
  readonly needed?: { readonly yes: number; readonly no: number }
  readonly reached?: 'yes' | 'no' | undefined
  readonly decider?: string | undefined
}

/** The next step of an open proposal. */
export function standingSentence(state: VoteState): string {
  const { yes, no, active, least, isTooSmall, needed, reached, decider } = state
  if (isTooSmall)
    return `Waiting for agents: ${active} of at least ${least} ${active === 1 ? 'is' : 'are'} active.`
  if (reached !== undefined)
    return `Enough votes to ${reached === 'yes' ? 'approve' : 'reject'}; waiting for ${decider ?? 'an agent'} to count them.`
  if (!needed) return 'Waiting for votes.'
  const more = (count: number) => countOf(Math.max(1, count), 'more vote')
  return `Waiting for ${more(needed.yes - yes)} to approve or ${more(needed.no - no)} to reject; ${countOf(active, 'agent')} active.`
}
