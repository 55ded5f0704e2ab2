// The shape of a proposal: the proposed memory, the reason, and the decisions. The input has two forms: flat, and the
// protocol's form with the memory as an object.
// Invariant: `status` and `resolution` are derived from the decisions (see proposal-state.ts). Both forms of input
// have the same result; a field that is in no form is an error.
import { z } from 'zod'
import { defined } from '../../../core/defined.ts'
import { sensitivities } from '../../../core/sealed.ts'
import type { recordHead } from '../../../shape/record-head.ts'
import { instant, instantOrDay, recordId } from '../../../shape/field.ts'
import {
  category,
  confidence,
  confidenceInput,
  content,
  labels,
  memoryType,
  sensitivity,
} from '../memory/memory-schema.ts'
import { someText, soundText } from '../../../shape/sound-text.ts'
import { priority } from '../policy/policy-kind.ts'
import { maxRuleLength, ruleScope } from '../rule-kind.ts'

/** `expired` is computed from the clock and never stored. */
export const proposalStates = ['pending', 'approved', 'rejected', 'expired', 'edited', 'withdrawn'] as const
export type ProposalStatus = (typeof proposalStates)[number]

const maxEvidence = 50
/** Most ids in `similarTo` and in `supersedes`. */
const maxReferences = 100

const evidenceTypes = ['user_statement', 'inferred', 'confirmed', 'external'] as const
const evidence = z
  .array(
    z.strictObject({
      type: z.enum(evidenceTypes).optional(),
      quote: soundText(2000).optional(),
      timestamp: z.string().max(40).optional(),
      /** Id of a record of this book that the proposer can read. */
      record: recordId.optional(),
    }),
  )
  .max(maxEvidence)

/** Fields of the memory that a reviewer may change on approval. */
export const changeableFields = {
  content: content.optional(),
  category: category.optional(),
  memory_type: memoryType.optional(),
  confidence: confidence.optional(),
  sensitivity: z.enum(sensitivities).optional(),
  scope: labels.optional(),
  tags: labels.optional(),
}

const decision = z.looseObject({
  /** Number of the review, from 0; each reopening begins the next one. */
  round: z.number().int().min(0),
  /** `edit`: approved with the changes in `edited`. */
  action: z.enum(['approve', 'reject', 'edit']),
  /** Canonical time. */
  at: z.string(),
  /** The agent in whose name the decision was made. */
  by: z.string(),
  reason: z.string().optional(),
  edited: z.looseObject(changeableFields).optional(),
  /** True: the approver confirmed the hidden characters of the text. */
  despiteHidden: z.literal(true).optional(),
})
export type Decision = z.output<typeof decision>

/** A standing rule: see rule-kind.ts. Its text is the proposal's content. */
const proposedRule = z.looseObject({
  scope: ruleScope.optional(),
  priority: priority.optional(),
  valid_until: z.string().optional(),
})

const resolution = z.looseObject({
  resolvedAt: z.string(),
  action: z.enum(['approved', 'approved_with_edits', 'rejected', 'withdrawn']),
  editedContent: z.string().optional(),
  editedCategory: z.string().optional(),
  editedMemoryType: z.string().optional(),
  reason: z.string().optional(),
})

export const proposalBody = z.looseObject({
  /** Name of the proposing agent in this book. */
  by: someText(1000),
  agentDid: someText(1100),
  agentName: someText(1000).optional(),
  sessionId: someText(1000).optional(),
  conversationContext: soundText(500).optional(),
  content,
  category,
  memory_type: memoryType,
  confidence,
  /** The proposer's wish; the record has at least the default of the category. */
  suggestedSensitivity: z.enum(sensitivities).optional(),
  labels: labels.optional(),
  tags: labels.optional(),
  /** The proposer's reason, for the reviewer. */
  context: soundText(1000).optional(),
  evidence: evidence.optional(),
  priority: z.enum(['low', 'normal', 'high']).optional(),
  /** Present: an approval makes a standing rule, not a memory. */
  rule: proposedRule.optional(),
  /** Ids of memories that the agent found similar; they stay. */
  similarTo: z.array(recordId).max(maxReferences).optional(),
  /** Ids of memories that the new memory would replace: several to consolidate, or one to change. */
  supersedes: z.array(recordId).max(maxReferences).optional(),
  /** Ids of the records in `evidence` and `similarTo` that contain the proposal's text. */
  alike: z
    .array(recordId)
    .max(maxEvidence + maxReferences)
    .optional(),
  /** Canonical times. */
  proposedAt: z.string(),
  expiresAt: z.string(),
  /** By `decisionKey`, so that decisions of two devices are stored side by side. */
  decisions: z.record(z.string(), decision).optional(),
  /** By the number of the round that the reopening begins, from 1. */
  reopened: z.record(z.string(), z.looseObject({ at: z.string(), by: z.string() })).optional(),
  withdrawn: z.looseObject({ at: z.string() }).optional(),
  status: z.enum(['pending', 'approved', 'rejected', 'edited', 'withdrawn']),
  resolution: resolution.optional(),
})
export type ProposalBody = z.output<typeof proposalBody>

export type Proposal = ProposalBody & {
  readonly [Name in keyof typeof recordHead]: z.output<(typeof recordHead)[Name]>
} & { readonly kind: 'proposal' }

const memoryInput = z.strictObject({
  content,
  category: category.optional(),
  memory_type: memoryType.optional(),
  confidence: confidenceInput.optional(),
  suggestedSensitivity: sensitivity.optional(),
  suggestedScope: labels.optional(),
  suggestedTags: labels.optional(),
})

const proposerInput = z.strictObject({
  agentDid: someText(1000),
  agentName: someText(1000).optional(),
  sessionId: someText(1000).optional(),
  conversationContext: soundText(500).optional(),
})

/** The fields of both forms. `proposeInput` checks that an input mixes no fields of both. */
const inputShape = z.strictObject({
  id: z
    .string()
    .regex(/^prop_[A-Za-z0-9]{1,100}$/, 'is not an id such as prop_xyz789')
    .optional(),
  agentDid: someText(1000).optional(),
  content: content.optional(),
  category: category.optional(),
  memory_type: memoryType.optional(),
  confidence: confidenceInput.optional(),
  sensitivity: sensitivity.optional(),
  scope: labels.optional(),
  tags: labels.optional(),
  proposedBy: proposerInput.optional(),
  memory: memoryInput.optional(),
  sessionId: someText(1000).optional(),
  context: soundText(1000).optional(),
  evidence: evidence.element
    .extend({ type: z.enum(evidenceTypes).optional(), timestamp: instant.optional() })
    .array()
    .max(maxEvidence)
    .optional(),
  priority: z.enum(['low', 'normal', 'high']).optional(),
  /** Proposes a standing rule with this content. A bare date in `valid_until` means the end of its day. */
  rule: z
    .strictObject({
      scope: ruleScope.optional(),
      priority: priority.optional(),
      valid_until: instantOrDay.optional(),
    })
    .optional(),
  similarTo: z.array(recordId).max(maxReferences).optional(),
  /** Ids of memories that the new memory would replace. */
  supersedes: z.array(recordId).min(1).max(maxReferences).optional(),
  /** The protocol's form has it; a new proposal has no other status. */
  status: z.literal('pending').optional(),
  proposedAt: instant.optional(),
  expiresAt: instant.optional(),
  /**
   * True: derives a missing type from the text. Default: a missing type is that of the only memory that the proposal
   * would replace, else `episodic`.
   */
  classify: z.boolean().optional(),
})

/** Fields that only the flat form has. */
const flatFields = [
  'content',
  'category',
  'memory_type',
  'confidence',
  'sensitivity',
  'scope',
  'tags',
  'agentDid',
  'sessionId',
] as const

export const proposeInput = inputShape.superRefine((input, context) => {
  if (input.memory === undefined && input.content === undefined)
    context.addIssue({ code: 'custom', path: ['content'], message: 'is required, or a `memory` with it' })
  const misplacedField = flatFields.find(
    (name) => input[name] !== undefined && (input.memory ?? input.proposedBy) !== undefined,
  )
  if (misplacedField !== undefined)
    context.addIssue({
      code: 'custom',
      path: [misplacedField],
      message: 'belongs inside `memory` or `proposedBy` in this form',
    })
  const { proposedAt, expiresAt, rule, supersedes } = input
  if (rule && supersedes)
    context.addIssue({
      code: 'custom',
      path: ['supersedes'],
      message: 'names memories, and a rule replaces none',
    })
  if (rule && (input.memory?.content ?? input.content ?? '').length > maxRuleLength)
    context.addIssue({
      code: 'custom',
      path: ['content'],
      message: `has more than ${maxRuleLength} characters, the most of a rule`,
    })
  if (proposedAt !== undefined && expiresAt !== undefined && expiresAt <= proposedAt)
    context.addIssue({ code: 'custom', path: ['expiresAt'], message: 'is not after `proposedAt`' })
})

/** The proposed memory, read from either form. In it, `suggestedScope` are labels. */
export interface ProposedMemory {
  readonly memory: z.output<typeof memoryInput>
  readonly proposer: Partial<z.output<typeof proposerInput>>
  /** Path of the agent's DID in the input. */
  readonly proposerPath: string
}

export function normalizeProposal(input: z.output<typeof proposeInput>): ProposedMemory {
  if (input.memory) {
    return { memory: input.memory, proposer: input.proposedBy ?? {}, proposerPath: 'proposedBy.agentDid' }
  }
  const { content: text = '', scope, sensitivity: level, tags, agentDid, sessionId } = input
  return {
    memory: {
      content: text,
      category: input.category,
      memory_type: input.memory_type,
      confidence: input.confidence,
      suggestedSensitivity: level,
      suggestedScope: scope,
      suggestedTags: tags,
    },
    proposer: input.proposedBy ?? defined({ agentDid, sessionId }),
    proposerPath: input.proposedBy ? 'proposedBy.agentDid' : 'agentDid',
  }
}
