// Seed shapes of the a2p protocol: the profile document with lists of memories by type, single memories, and
// proposals in both forms.
import { z } from 'zod'
import { DaybookError } from '../../core/errors.ts'
import { isJsonObject } from '../../core/json/path.ts'
import { fields, type Fields, object, oneCall, type SeedShape, text, without } from './shape.ts'

const a2p = (method: string): [string, ...string[]] => [`a2p_${method}`, `mcp__a2p__${method}`]
const types = ['episodic', 'semantic', 'procedural'] as const
/** Maximum memories of a profile document that is stored. */
const documentLimit = 1000

/** Returns a memory without its type, with `source.type` as in the protocol's schema. */
const inList = ({ memory_type: _type, ...memory }: Fields): Fields => {
  const { source } = memory
  const { type } = isJsonObject(source) ? source : {}
  return type === 'proposal'
    ? { ...memory, source: { ...(source as Fields), type: 'agent_proposal' } }
    : memory
}

/** Returns a memory whose `consolidatedFrom` is moved into its `metadata`. */
const storable = (memory: Fields): Fields => {
  const { consolidatedFrom, metadata, ...rest } = memory
  const merged = consolidatedFrom === undefined ? {} : { consolidatedFrom, mergedFrom: consolidatedFrom }
  const all = { ...merged, ...(metadata as Fields | undefined) }
  return Object.keys(all).length === 0 ? rest : { ...rest, metadata: all }
}

export const a2pShapes: readonly SeedShape[] = [
  oneCall({
    names: a2p('get_profile'),
    summary: 'Gives the profile of the user: memories by type, as far as the caller may read them.',
    capability: 'a2p:get_profile',
    input: fields({ scopes: z.array(text).optional(), did: text.optional() }),
  }),
  storeProfile(),
  oneCall({
    names: a2p('store_memory'),
    summary: 'Stores a memory that the user says; its type beside it, or else episodic.',
    capability: 'a2p:store_memory',
    input: fields({ content: text, category: text, memory_type: text.optional() }),
    wrapped: 'memory',
    to: storable,
    from: ({ id, result }) => ({ memory_id: id, result }),
  }),
  oneCall({
    names: a2p('query_memories'),
    summary: 'Lists memories by category, type, status and sensitivity.',
    capability: 'a2p:query_memories',
    input: fields({ category: text.optional(), memory_type: text.optional(), status: text.optional() }),
    from: ({ memories }) => (memories as readonly Fields[]).map(withoutType),
  }),
  oneCall({
    names: a2p('propose_memory'),
    summary: 'Proposes a memory to the user, flat or with the memory inside.',
    capability: 'a2p:propose',
    input: fields({ content: text.optional(), memory: object.optional(), memory_type: text.optional() }),
    wrapped: 'proposal',
    from: ({ id, status, expiresAt, result }) => ({ proposal_id: id, status, expiresAt, result }),
  }),
  oneCall({
    names: a2p('list_proposals'),
    summary: 'Lists proposals: an agent its own, the user all; `form: schema` has the memory inside.',
    capability: 'a2p:list_proposals',
    input: fields({ status: text.optional(), form: z.enum(['flat', 'schema']).optional() }),
    from: ({ proposals }) => proposals,
  }),
  oneCall({
    names: a2p('withdraw_proposal'),
    summary: 'Takes back a proposal that nobody has decided yet.',
    capability: 'a2p:withdraw',
    input: fields({ proposal_id: text }),
    fields: { id: 'proposal_id' },
    from: ({ id, status }) => ({ proposal_id: id, status }),
  }),
  oneCall({
    names: a2p('consolidate_memories'),
    summary: 'Makes one memory of several; asked by an agent, proposes that.',
    capability: 'a2p:consolidate',
    input: fields({ memory_ids: z.array(text), content: text.optional() }),
    fields: { ids: 'memory_ids' },
    from: ({ id, result }) => ({ memory_id: id, result }),
  }),
]

/** Returns a memory with its type, and with `source.type` as in the protocol's schema. */
function withoutType(memory: Fields): Fields {
  return { ...inList(memory), memory_type: memory['memory_type'] }
}

/** Shape that stores every memory of a document's three lists, with the type of the list. */
function storeProfile(): SeedShape {
  const capability = 'a2p:store_memory'
  return {
    names: a2p('store_profile'),
    summary: 'Stores the memories of a profile document, each by the type of its list.',
    uses: [capability],
    input: fields({ memories: z.record(text, z.unknown()) }),
    wrapped: 'profile',
    async run({ memories }, { call }) {
      const all = types.flatMap((type) => listOf(memories as Fields, type))
      if (all.length > documentLimit)
        throw new DaybookError('too-large', `The profile has more than ${documentLimit} memories.`, {
          details: { path: 'memories', limit: documentLimit },
        })
      const ids: unknown[] = []
      for (const [step, memory] of all.entries()) {
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
function listOf(memories: Fields, type: (typeof types)[number]): Fields[] {
  const path = `memories.a2p:${type}`
  const { [`a2p:${type}`]: list = [] } = memories
  if (!Array.isArray(list)) throw wrong(path, 'It is not a list')
  return (list as readonly unknown[]).map((memory, i) => {
    if (!isJsonObject(memory)) throw wrong(`${path}.${i}`, 'It is not a memory')
    const { memory_type = type } = memory
    if (memory_type !== type) throw wrong(`${path}.${i}.memory_type`, `It is not ${type}, as its list says`)
    return { ...storable(without(memory, 'memory_type')), memory_type: type }
  })
}

function wrong(path: string, message: string): DaybookError {
  return new DaybookError('invalid-input', `\`${path}\`: ${message}.`, { details: { path } })
}
