// Answers of the pool's verbs, and its stored records.
import type { CapabilityOutput } from '../../../src/index.ts'
import type { BookRecord } from '../record-kind.ts'

export type Proposal = CapabilityOutput<'pool:list_proposals'>['proposals'][number]
export type Claws = CapabilityOutput<'pool:claws'>
export type Claw = Claws['claws'][number]
export type Config = CapabilityOutput<'pool:configure'>['config']
export type AuditEntry = CapabilityOutput<'pool:audit'>['entries'][number]

interface Spoken extends BookRecord {
  /** The speaker's id in the pool. */
  readonly claw: string
  readonly group: string
}

export interface ProposalRecord extends Spoken {
  readonly proposal: string
  readonly title?: string
  readonly statement: string
  readonly tags: readonly string[]
  readonly proposedAt: string
  readonly expiresAt: string
}

export interface BallotRecord extends Spoken {
  /** The id of the record of its proposal. */
  readonly proposal: string
  readonly vote: 'yes' | 'no'
  readonly n: number
  readonly castAt: string
  readonly votes: Readonly<
    Record<string, { readonly vote: string; readonly at: string; readonly reason?: string }>
  >
}

export interface DecisionRecord extends Spoken {
  /** The id of the record of its proposal. */
  readonly proposal: string
  readonly outcome: 'approved' | 'rejected' | 'expired'
  readonly yes: number
  readonly no: number
  readonly reason: string
  readonly decidedAt: string
}

export interface FactWords {
  readonly subject: string
  readonly predicate: string
  readonly object: string
}

export interface FactVersion extends FactWords {
  readonly tags: readonly string[]
  /** Its id among agents of the pool. */
  readonly proposal: string
  readonly source: string
  readonly yes: number
  readonly no: number
  readonly publishedAt: string
}

export interface FactRecord extends BookRecord, FactWords {
  readonly fact: string
  readonly group: string
  readonly home: string
  readonly version: number
  readonly versions: Readonly<Record<string, FactVersion>>
  readonly tags: readonly string[]
  readonly votes: { readonly yes: number; readonly no: number }
  readonly publishedAt: string
}

export interface ClawRecord extends Spoken {
  readonly displayName?: string
  readonly model?: string
  readonly capabilities: readonly string[]
  readonly keys?: readonly string[]
  readonly firstSeenAt: string
  readonly announcedAt: string
}

export const factLine = ({ subject, predicate, object }: FactWords) => `${subject} ${predicate} ${object}`

/** `3 to 1`: votes for it and against it. */
export const tallyWord = ({ yes, no }: { readonly yes: number; readonly no: number }) => `${yes} to ${no}`
