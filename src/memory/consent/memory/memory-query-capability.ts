// The verbs that read memories: a list with filters, and the profile document of the user.
import { z } from 'zod'
import { sealed, sealedField } from '../../../shape/field.ts'
import { category, memoryStates, memoryType, scopeText, sensitivity } from './memory-schema.ts'
import {
  approvedMemories,
  listMemories,
  profileDocument,
  type ProfileMemory,
  type ListedMemory,
} from './read-memory.ts'
import { cursor, limit, restOf } from '../../../shape/page.ts'
import { filters, readVerb } from '../../../shape/record-verbs.ts'
import { shapeOf } from '../../../shape/shape-of.ts'

const looseObject = z.record(z.string(), z.unknown())
const memoryShape = z.looseObject({
  id: z.string(),
  content: z.string(),
  category: z.string(),
  memory_type: memoryType,
  source: looseObject,
  confidence: z.number(),
  /** `expired`: the confidence is below the archiving threshold; the next upkeep archives the memory. */
  status: z.enum(memoryStates),
  sensitivity: z.string(),
  scope: z.array(z.string()).readonly().optional(),
  tags: z.array(z.string()).readonly().optional(),
  /** `useCount` and `lastUsed` count the uses on this device only. */
  metadata: looseObject,
  consolidatedFrom: z.array(z.string()).readonly().optional(),
  /** The confidence is below one half: the user should confirm, edit or forget the memory. */
  flagged: z.literal(true).optional(),
})

export const memoryOutput = shapeOf<ListedMemory>()(memoryShape)
const profileMemory = shapeOf<ProfileMemory>()(memoryShape.omit({ memory_type: true, flagged: true }))

/** DID of the user in the profile document, unless the caller passes another. */
const defaultDid = 'did:a2p:user:local:me'

export const memoryQueryCapabilities = [
  readVerb({
    id: 'a2p:query_memories',
    method: 'memories.query',
    // A guest without a policy or receipt for memories gets `consent-required`.
    needsConsent: true,
    summary:
      'Lists memories by category, type, status and sensitivity, newest first; to guests the approved ones.',
    input: z
      .strictObject({
        /** This category and all categories below it. */
        category: category.optional(),
        memory_type: memoryType.optional(),
        /** Default `approved`, the only status that a guest can see. */
        status: z.enum(memoryStates).optional(),
        sensitivity: sensitivity.optional(),
        /** Only flagged memories. The filter applies after a page is read, so a page may be short or empty. */
        flagged: z.literal(true).optional(),
        filters,
        limit: limit(),
        cursor,
      })
      .prefault({}),
    /** `cursor`: set if there is a next page. */
    output: z.object({ memories: z.array(memoryOutput), cursor: z.string().optional(), sealed }),
    run(query, at) {
      const { page, memories } = listMemories(at, query)
      return {
        memories,
        ...restOf(page),
      }
    },
  }),
  readVerb({
    id: 'a2p:get_profile',
    method: 'memories.profile',
    // As above.
    needsConsent: true,
    summary: 'Gives the profile document of the user: the approved memories within some scopes, by type.',
    input: z
      .strictObject({
        /**
         * Categories (`a2p:preferences`), types (`a2p:semantic`) or both (`a2p:semantic.preferences`). Default: all.
         */
        scopes: z.array(scopeText).min(1).max(100).optional(),
        /** DID of the user, for the `id` and the `identity` of the document. */
        did: z
          .string()
          .max(512)
          .regex(/^did:[a-z0-9]+:[A-Za-z0-9._:-]+$/, 'is not a DID')
          .default(defaultDid),
      })
      .prefault({}),
    output: z.looseObject({
      id: z.string(),
      version: z.string(),
      profileType: z.literal('human'),
      identity: z.object({ did: z.string() }),
      /** Lists of memories by type: `a2p:episodic`, `a2p:semantic`, `a2p:procedural`. */
      memories: z.record(z.string(), z.array(profileMemory).readonly()),
      sealed,
    }),
    run({ scopes, did }, at) {
      const { memories, sealed: sealedCount } = approvedMemories(at, scopes)
      return { ...profileDocument(did, memories), ...sealedField(sealedCount) }
    },
  }),
] as const
