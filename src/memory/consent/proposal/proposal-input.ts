// Both forms in which agents write a proposal: flat, as people write it, and with the memory inside, as the protocol's schema
// has it. Invariant: either comes to the same, and what belongs to neither is refused.
import { z } from 'zod'
import { instant } from '../../../shape/instant.ts'
import { recordId } from '../../../shape/record-id.ts'
import {
  category,
  confidenceInput,
  content,
  labels,
  memoryType,
  sensitivity,
  soundText,
  someText,
} from '../memory/memory-schema.ts'
import { evidence, evidenceTypes } from './proposal-schema.ts'

const nested = z.strictObject({
  content,
  category: category.optional(),
  memory_type: memoryType.optional(),
  confidence: confidenceInput.optional(),
  suggestedSensitivity: sensitivity.optional(),
  suggestedScope: labels.optional(),
  suggestedTags: labels.optional(),
})

const proposer = z.strictObject({
  agentDid: someText(1000),
  agentName: someText(1000).optional(),
  sessionId: someText(1000).optional(),
  conversationContext: soundText(500).optional(),
})

const given = z.strictObject({
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
  proposedBy: proposer.optional(),
  memory: nested.optional(),
  sessionId: someText(1000).optional(),
  context: soundText(1000).optional(),
  evidence: evidence.element
    .extend({ type: z.enum(evidenceTypes).optional(), timestamp: instant.optional() })
    .array()
    .max(50)
    .optional(),
  priority: z.enum(['low', 'normal', 'high']).optional(),
  similarTo: z.array(recordId).max(100).optional(),
  /** Memories in whose place it would stand. */
  supersedes: z.array(recordId).min(1).max(100).optional(),
  status: z.literal('pending').optional(),
  proposedAt: instant.optional(),
  expiresAt: instant.optional(),
  /** Tells the type from the text where none is given; otherwise it is `episodic` then. */
  classify: z.boolean().optional(),
})

/** Of the flat form alone. */
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

export const proposeInput = given.superRefine((input, context) => {
  if (input.memory === undefined && input.content === undefined)
    context.addIssue({ code: 'custom', path: ['content'], message: 'is wanted, or a `memory` that has it' })
  const both = flatFields.find(
    (name) => input[name] !== undefined && (input.memory ?? input.proposedBy) !== undefined,
  )
  if (both !== undefined)
    context.addIssue({
      code: 'custom',
      path: [both],
      message: 'stands inside `memory` or `proposedBy` in this form',
    })
  const { proposedAt, expiresAt } = input
  if (proposedAt !== undefined && expiresAt !== undefined && expiresAt <= proposedAt)
    context.addIssue({ code: 'custom', path: ['expiresAt'], message: 'is not after `proposedAt`' })
})

/** What is proposed, in whichever form it came. */
export interface Proposed {
  readonly memory: z.output<typeof nested>
  readonly proposer: Partial<z.output<typeof proposer>>
  /** Where in the input the agent says who it is. */
  readonly proposerPath: string
}

export function proposedOf(input: z.output<typeof proposeInput>): Proposed {
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
    proposer: input.proposedBy ?? {
      ...(agentDid === undefined ? {} : { agentDid }),
      ...(sessionId === undefined ? {} : { sessionId }),
    },
    proposerPath: input.proposedBy ? 'proposedBy.agentDid' : 'agentDid',
  }
}
