// The shape of a proposal: what an agent would have remembered, why, and what was decided about it.
// Invariant: `status` and `resolution` follow from the decisions (see proposal-state.ts); nothing else says what became of it.
import { z } from 'zod'
import { sensitivities } from '../../../core/sealed.ts'
import type { recordHead } from '../../../shape/record-head.ts'
import { recordId } from '../../../shape/record-id.ts'
import {
  category,
  confidence,
  content,
  labels,
  memoryType,
  soundText,
  someText,
} from '../memory/memory-schema.ts'

/** As they are told; `expired` is told by the clock and never written. */
export const proposalStates = ['pending', 'approved', 'rejected', 'expired', 'edited', 'withdrawn'] as const
export type ProposalStatus = (typeof proposalStates)[number]

export const evidenceTypes = ['user_statement', 'inferred', 'confirmed', 'external'] as const
export const evidence = z
  .array(
    z.strictObject({
      type: z.enum(evidenceTypes).optional(),
      quote: soundText(2000).optional(),
      timestamp: z.string().max(40).optional(),
      /** A record of this book that the proposer can read. */
      record: recordId.optional(),
    }),
  )
  .max(50)

/** What may be said otherwise when it is approved. */
export const changes = {
  content: content.optional(),
  category: category.optional(),
  memory_type: memoryType.optional(),
  confidence: confidence.optional(),
  sensitivity: z.enum(sensitivities).optional(),
  scope: labels.optional(),
  tags: labels.optional(),
}

export const decision = z.looseObject({
  round: z.number().int().min(0),
  action: z.enum(['approve', 'reject', 'edit']),
  /** Canonical time. */
  at: z.string(),
  /** The agent in whose name it was decided. */
  by: z.string(),
  reason: z.string().optional(),
  edited: z.looseObject(changes).optional(),
  /** Whoever approved knew of the hidden characters in it. */
  despite_hidden: z.literal(true).optional(),
})
export type Decision = z.output<typeof decision>

export const resolution = z.looseObject({
  resolvedAt: z.string(),
  action: z.enum(['approved', 'approved_with_edits', 'rejected', 'withdrawn']),
  editedContent: z.string().optional(),
  editedCategory: z.string().optional(),
  editedMemoryType: z.string().optional(),
  reason: z.string().optional(),
})

export const proposalBody = z.looseObject({
  /** The agent that proposes, by the name that the book has for it. */
  by: someText(1000),
  agentDid: someText(1100),
  agentName: someText(1000).optional(),
  sessionId: someText(1000).optional(),
  conversationContext: soundText(500).optional(),
  content,
  category,
  memory_type: memoryType,
  confidence,
  suggestedSensitivity: z.enum(sensitivities).optional(),
  labels: labels.optional(),
  tags: labels.optional(),
  context: soundText(1000).optional(),
  evidence: evidence.optional(),
  priority: z.enum(['low', 'normal', 'high']).optional(),
  similarTo: z.array(recordId).max(100).optional(),
  /** Memories in whose place the new one would stand: to make one of several, or to class one otherwise. */
  supersedes: z.array(recordId).max(100).optional(),
  /** Those of the records named above that say it word for word. */
  alike: z.array(recordId).max(150).optional(),
  /** Canonical times. */
  proposedAt: z.string(),
  expiresAt: z.string(),
  /** By a key of each decision, so that those of two devices stand side by side. */
  decisions: z.record(z.string(), decision).optional(),
  /** By the number of the round that begins with it, from 1. */
  reopened: z.record(z.string(), z.looseObject({ at: z.string(), by: z.string() })).optional(),
  withdrawn: z.looseObject({ at: z.string() }).optional(),
  status: z.enum(['pending', 'approved', 'rejected', 'edited', 'withdrawn']),
  resolution: resolution.optional(),
})
export type ProposalBody = z.output<typeof proposalBody>

export type Proposal = ProposalBody & {
  readonly [Name in keyof typeof recordHead]: z.output<(typeof recordHead)[Name]>
} & { readonly kind: 'proposal' }
