// The shape of a memory: something known about the user, with its source and the user's consent.
import { z } from 'zod'
import { sensitivities } from '../../../core/sealed.ts'
import { instant, recordId } from '../../../shape/field.ts'
import type { recordHead } from '../../../shape/record-head.ts'
import { isCategory, isMemoryScope, memoryTypes } from './category.ts'
import { someText, soundText } from '../../../shape/sound-text.ts'

/** Most characters of a memory, in Unicode code points. */
export const maxContentLength = 2000

const isWellFormed = (text: string) => text.isWellFormed()

/** `max` counts UTF-16 units, of which a code point has at most two. */
export const content = z
  .string()
  .max(2 * maxContentLength, `has more than ${maxContentLength} characters`)
  .refine(isWellFormed, 'is not well-formed Unicode')
  .refine((text) => text.trim() !== '', 'is empty')
  .refine(
    (text) => text.length <= maxContentLength || Array.from(text).length <= maxContentLength,
    `has more than ${maxContentLength} characters`,
  )

/** Normalized to lower case: policies, denials and default sensitivity depend on the name. */
export const category = z
  .string()
  .max(1000)
  .toLowerCase()
  .refine(
    isCategory,
    'is not a category such as a2p:preferences.communication or ext:spotify:music.preferences',
  )
export const scopeText = z
  .string()
  .max(512)
  .toLowerCase()
  .refine(isMemoryScope, 'is not a scope such as a2p:preferences, a2p:semantic or a2p:semantic.preferences')
export const memoryType = z.enum(memoryTypes)
export const confidence = z.number().min(0).max(1)
/** Normalizes −0 to 0: both are equal, but −0 can be shown as another number. */
export const confidenceInput = confidence.transform((value) => (value === 0 ? 0 : value))
export const sensitivity = z.enum(sensitivities)
/** Most labels, and most tags, of a memory. */
export const maxLabels = 50
export const labels = z.array(someText(100)).max(maxLabels)

/** `pending`: from another book, not reviewed yet. `expired` is computed from the confidence and never stored. */
export const memoryStates = ['pending', 'approved', 'rejected', 'archived', 'expired'] as const
export type MemoryStatus = (typeof memoryStates)[number]

/** The protocol's words for the origin of a memory. `proposal` means the same as `agent_proposal`. */
export const sourceTypes = [
  'user_manual',
  'user_import',
  'agent_proposal',
  'proposal',
  'agent_direct',
  'system_derived',
] as const

/** Source of a memory, as its author states it. */
export const sourceFields = {
  agentDid: someText(1000).optional(),
  agentName: someText(1000).optional(),
  sessionId: someText(1000).optional(),
  context: soundText(1000).optional(),
  importSource: soundText(1000).optional(),
}

export const editEntry = z.object({
  editedAt: z.string(),
  previousContent: z.string(),
  editedBy: z.string(),
})

/** Metadata of a memory. `useCount` and `lastUsed` are counted on each device and never stored here. */
export const metadataFields = {
  approvedAt: instant.optional(),
  archivedAt: instant.optional(),
  rejectedAt: instant.optional(),
  lastConfirmed: instant.optional(),
  /** Confidence at the approval. */
  initialConfidence: confidence.optional(),
  /** Ids of the memories of which this one was made. `mergedFrom`: the same ids, by the protocol's other name. */
  consolidatedFrom: z.array(recordId).max(100).optional(),
  mergedFrom: z.array(recordId).max(100).optional(),
  editHistory: z.array(editEntry).max(1000).optional(),
}

/** A change of type or category. `from` and `to`: type and category, with a space between them. */
export const reclassification = z.object({
  at: z.string(),
  from: z.string(),
  to: z.string(),
  reason: z.string(),
  by: z.enum(['user', 'proposal', 'automatic']),
})

const revisedFields = z.looseObject({
  content: content.optional(),
  category: category.optional(),
  memory_type: memoryType.optional(),
  confidence: confidence.optional(),
  labels: labels.optional(),
  tags: labels.optional(),
})
/**
 * `before` and `after`: only the fields that the proposal changed. A field absent in `before` had no value.
 */
const revision = z.looseObject({
  /** Id of the proposal. */
  proposal: z.string(),
  at: z.string(),
  before: revisedFields,
  after: revisedFields,
})

export const memoryBody = z.looseObject({
  content,
  category,
  memory_type: memoryType,
  status: z.enum(memoryStates),
  confidence,
  labels: labels.optional(),
  tags: labels.optional(),
  source: z.looseObject({
    type: z.enum(sourceTypes),
    ...sourceFields,
    timestamp: z.string(),
    /** Name in this book of the agent that proposed the memory. */
    agent: z.string().optional(),
    /** Id of the proposal that made the memory, and the round of its review: see proposal/proposal-state.ts. */
    proposal: z.string().optional(),
    round: z.number().int().min(0).optional(),
  }),
  metadata: z.looseObject(metadataFields),
  /** Ids of the memories that this memory replaces. */
  supersedes: z.array(recordId).max(100).optional(),
  /**
   * True: the upkeep found the confidence below the review threshold (confidence.ts), and the user has not reacted
   * yet.
   */
  flagged: z.boolean().optional(),
  flaggedAt: z.string().optional(),
  /** True if the upkeep archived the memory for its low confidence; absent if the user archived it. */
  faded: z.boolean().optional(),
  reclassified: z.array(reclassification).max(100).optional(),
  /** Changes by approved proposals, by the id under which each proposal ends its change: see revision.ts. */
  revised: z.record(z.string(), revision).optional(),
})
export type MemoryBody = z.output<typeof memoryBody>

export type Memory = MemoryBody & {
  readonly [Name in keyof typeof recordHead]: z.output<(typeof recordHead)[Name]>
} & { readonly kind: 'memory' }
