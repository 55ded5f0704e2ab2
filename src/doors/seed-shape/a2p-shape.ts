// Seed shapes of the a2p protocol: the profile document with lists of memories by type, single memories, and
// proposals in both forms. `fieldNames` maps the
// capability's name of a field to the shape's.
import { z } from 'zod'
import { DaybookError, invalidInput } from '../../core/errors.ts'
import { isJsonObject } from '../../core/json/path.ts'
import { inputFields, type Fields, object, singleCallShape, type SeedShape, text, without } from './shape.ts'

/** The names of a shape: tools of MCP servers for the protocol. */
const a2pNames = (method: string): [string, ...string[]] => [`a2p_${method}`, `mcp__a2p__${method}`]
const memoryTypes = ['episodic', 'semantic', 'procedural'] as const
/** Maximum memories of a profile document that is stored. */
const maxDocumentMemories = 1000

/** Returns a memory with `source.type` as in the protocol's schema: `agent_proposal`, not `proposal`. */
const withSchemaSource = (memory: Fields): Fields => {
  const { source } = memory
  const { type } = isJsonObject(source) ? source : {}
  return type === 'proposal'
    ? { ...memory, source: { ...(source as Fields), type: 'agent_proposal' } }
    : memory
}

/** Returns a memory whose `consolidatedFrom` is moved into its `metadata`, as the book stores it; `metadata` wins. */
const toStorableMemory = (memory: Fields): Fields => {
  const { consolidatedFrom, metadata, ...rest } = memory
  const merged = consolidatedFrom === undefined ? {} : { consolidatedFrom, mergedFrom: consolidatedFrom }
  const allMetadata = { ...merged, ...(metadata as Fields | undefined) }
  return Object.keys(allMetadata).length === 0 ? rest : { ...rest, metadata: allMetadata }
}

export const a2pShapes: readonly SeedShape[] = [
  singleCallShape({
    names: a2pNames('get_profile'),
    summary: 'Gives the profile of the user: memories by type, as far as the caller may read them.',
    capability: 'a2p:get_profile',
    input: inputFields({ scopes: z.array(text).optional(), did: text.optional() }),
  }),
  storeProfileShape(),
  singleCallShape({
    names: a2pNames('store_memory'),
    summary: 'Stores a memory that the user says; its type beside it, or else episodic.',
    capability: 'a2p:store_memory',
    input: inputFields({ content: text, category: text, memory_type: text.optional() }),
    wrapperField: 'memory',
    toCapabilityInput: toStorableMemory,
    toShapeAnswer: ({ id, result }) => ({ memory_id: id, result }),
  }),
  singleCallShape({
    names: a2pNames('query_memories'),
    summary: 'Lists memories by category, type, status and sensitivity.',
    capability: 'a2p:query_memories',
    input: inputFields({ category: text.optional(), memory_type: text.optional(), status: text.optional() }),
    toShapeAnswer: ({ memories }) => (memories as readonly Fields[]).map(withSchemaSource),
  }),
  singleCallShape({
    names: a2pNames('propose_memory'),
    summary: 'Proposes a memory to the user, flat or with the memory inside.',
    capability: 'a2p:propose',
    input: inputFields({ content: text.optional(), memory: object.optional(), memory_type: text.optional() }),
    wrapperField: 'proposal',
    toShapeAnswer: ({ id, status, expiresAt, result }) => ({ proposal_id: id, status, expiresAt, result }),
  }),
  singleCallShape({
    names: a2pNames('list_proposals'),
    summary: 'Lists proposals: an agent its own, the user all; `form: schema` has the memory inside.',
    capability: 'a2p:list_proposals',
    input: inputFields({ status: text.optional(), form: z.enum(['flat', 'schema']).optional() }),
    toShapeAnswer: ({ proposals }) => proposals,
  }),
  singleCallShape({
    names: a2pNames('withdraw_proposal'),
    summary: 'Takes back a proposal that nobody has decided yet.',
    capability: 'a2p:withdraw',
    input: inputFields({ proposal_id: text }),
    fieldNames: { id: 'proposal_id' },
    toShapeAnswer: ({ id, status }) => ({ proposal_id: id, status }),
  }),
  singleCallShape({
    names: a2pNames('consolidate_memories'),
    summary: 'Makes one memory of several; asked by an agent, proposes that.',
    capability: 'a2p:consolidate',
    input: inputFields({ memory_ids: z.array(text), content: text.optional() }),
    fieldNames: { ids: 'memory_ids' },
    toShapeAnswer: ({ id, result }) => ({ memory_id: id, result }),
  }),
]

/** Shape that stores every memory of a document's three lists, with the type of the list. */
function storeProfileShape(): SeedShape {
  const capability = 'a2p:store_memory'
  return {
    names: a2pNames('store_profile'),
    summary: 'Stores the memories of a profile document, each by the type of its list.',
    capabilities: [capability],
    input: inputFields({ memories: z.record(text, z.unknown()) }),
    wrapperField: 'profile',
    async run({ memories }, { call }) {
      const allMemories = memoryTypes.flatMap((type) => memoriesOfType(memories as Fields, type))
      if (allMemories.length > maxDocumentMemories)
        throw new DaybookError('too-large', `The profile has more than ${maxDocumentMemories} memories.`, {
          details: { path: 'memories', limit: maxDocumentMemories },
        })
      const ids: unknown[] = []
      for (const [step, memory] of allMemories.entries()) {
        const { id } = (await call(capability, memory, step)) as Fields
        ids.push(id)
      }
      return { memory_ids: ids }
    },
  }
}

/**
 * Returns the memories of one list as inputs of `a2p:store_memory`. Throws `invalid-input` for a memory with another
 * type.
 */
function memoriesOfType(memories: Fields, type: (typeof memoryTypes)[number]): Fields[] {
  const path = `memories.a2p:${type}`
  const { [`a2p:${type}`]: list = [] } = memories
  if (!Array.isArray(list)) throw invalidInput(path, 'It is not a list')
  return (list as readonly unknown[]).map((memory, i) => {
    if (!isJsonObject(memory)) throw invalidInput(`${path}.${i}`, 'It is not a memory')
    const { memory_type = type } = memory
    if (memory_type !== type)
      throw invalidInput(`${path}.${i}.memory_type`, `It is not ${type}, as its list says`)
    return { ...toStorableMemory(without(memory, 'memory_type')), memory_type: type }
  })
}
