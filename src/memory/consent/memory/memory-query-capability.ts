// The verbs that read memories: a list by what they are, and the profile document of the user.
import { z } from 'zod'
import { defineCapability } from '../../../core/capability/capability.ts'
import type { Filters } from '../../../core/filter/filter.ts'
import { sealed, sealedField } from '../../../shape/sealed-count.ts'
import { category, memoryStates, memoryType, scopeText, sensitivity } from './memory-schema.ts'
import { profileDocument, type ProfileMemory, type ToldMemory } from './memory-shape.ts'
import { approvedMemories, listMemories } from './read-memory.ts'

const loose = z.record(z.string(), z.unknown())
const memoryShape = z.looseObject({
  id: z.string(),
  content: z.string(),
  category: z.string(),
  memory_type: memoryType,
  source: loose,
  confidence: z.number(),
  /** `expired`: its confidence has fallen below what is kept; the next upkeep archives it. */
  status: z.enum(memoryStates),
  sensitivity: z.string(),
  scope: z.array(z.string()).readonly().optional(),
  tags: z.array(z.string()).readonly().optional(),
  /** `useCount` and `lastUsed` are this device's own. */
  metadata: loose,
  consolidatedFrom: z.array(z.string()).readonly().optional(),
  /** Its confidence has fallen below one half: the user should look at it, and confirm, edit or forget it. */
  flagged: z.literal(true).optional(),
})

export const toldMemory = memoryShape as unknown as z.ZodType<ToldMemory>
const listedMemory = memoryShape.omit({
  memory_type: true,
  flagged: true,
}) as unknown as z.ZodType<ProfileMemory>

/** The DID of the user of a book, unless the host has another one for it. */
const usualDid = 'did:a2p:user:local:me'

export const memoryQueryCapabilities = [
  defineCapability({
    id: 'a2p:query_memories',
    permission: 'read',
    methods: ['memories.query'],
    needsConsent: true,
    summary:
      'Lists memories by category, type, status and sensitivity, newest first; to guests the approved ones.',
    input: z
      .strictObject({
        /** This one and all below it. */
        category: category.optional(),
        memory_type: memoryType.optional(),
        /** Default `approved`; a guest sees no others. */
        status: z.enum(memoryStates).optional(),
        sensitivity: sensitivity.optional(),
        /** Only those that the user should look at: a page has as many of them as there are among its memories. */
        flagged: z.literal(true).optional(),
        filters: (loose as unknown as z.ZodType<Filters>).optional(),
        limit: z.number().int().min(1).max(1000).default(100),
        cursor: z.string().max(40_000).optional(),
      })
      .prefault({}),
    output: z.object({ memories: z.array(toldMemory), cursor: z.string().optional(), sealed }),
    effect: 'read',
    uses: ['records'],
    run(query, at) {
      const { page, told } = listMemories(at, query)
      return {
        memories: told,
        ...(page.cursor === undefined ? {} : { cursor: page.cursor }),
        ...sealedField(page.sealed ?? 0),
      }
    },
  }),
  defineCapability({
    id: 'a2p:get_profile',
    permission: 'read',
    methods: ['memories.profile'],
    needsConsent: true,
    summary: 'Gives the profile document of the user: the approved memories within some scopes, by type.',
    input: z
      .strictObject({
        /** Categories (`a2p:preferences`), types (`a2p:semantic`) or both (`a2p:semantic.preferences`). Default: all. */
        scopes: z.array(scopeText).min(1).max(100).optional(),
        /** Whose profile it says it is. */
        did: z
          .string()
          .max(512)
          .regex(/^did:[a-z0-9]+:[A-Za-z0-9._:-]+$/, 'is not a DID')
          .default(usualDid),
      })
      .prefault({}),
    output: z.looseObject({
      id: z.string(),
      version: z.string(),
      profileType: z.literal('human'),
      identity: z.object({ did: z.string() }),
      /** `a2p:episodic`, `a2p:semantic`, `a2p:procedural`. */
      memories: z.record(z.string(), z.array(listedMemory).readonly()),
      sealed,
    }),
    effect: 'read',
    uses: ['records'],
    run({ scopes, did }, at) {
      const { told, sealed: unread } = approvedMemories(at, scopes)
      return { ...profileDocument(did, told), ...sealedField(unread) }
    },
  }),
] as const
