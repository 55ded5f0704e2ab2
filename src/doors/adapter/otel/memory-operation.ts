// Table of the verbs that are memory operations in OpenTelemetry's conventions for generative AI.
// Invariant: other verbs have no span; a test compares this table with the book.
import type { BookMethod, CapabilityId } from '../../../book/daybook.ts'

export type MemoryOperation =
  | 'create_memory'
  | 'delete_memory'
  | 'delete_memory_store'
  | 'search_memory'
  | 'update_memory'
  | 'upsert_memory'

interface MemoryVerb {
  readonly id: CapabilityId
  readonly methods: readonly BookMethod[]
  readonly operation: MemoryOperation
}

const verbRow =
  (operation: MemoryOperation) =>
  ([id, ...methods]: readonly [CapabilityId, ...BookMethod[]]): MemoryVerb => ({ id, methods, operation })

const forgetMethods: readonly BookMethod[] = [
  'records.forget',
  'traces.forget',
  'perceptions.forget',
  'facts.forget',
  'skills.forget',
]

const searchVerbs: readonly (readonly [CapabilityId, ...BookMethod[]])[] = [
  ['daybook:recall', 'recall'],
  ['recall:context', 'context'],
  ['kstar:get_record', 'records.get'],
  ['kstar:query_memory', 'records.query'],
  ['kstar:search_memory', 'records.search'],
  ['kstar:get_trace', 'traces.get'],
  ['kstar:query_traces', 'traces.query'],
  ['kstar:search_traces', 'traces.search'],
  ['kstar:get_perceptions', 'perceptions.get'],
  ['kstar:query_perceptions', 'perceptions.query'],
  ['kstar:get_facts', 'facts.get'],
  ['kstar:query_facts', 'facts.query'],
  ['kstar:get_skill', 'skills.get'],
  ['kstar:query_skills', 'skills.query'],
  ['ks:recall', 'conversation.recall'],
  ['ks:list_messages', 'conversation.list'],
  ['ks:list_episodes', 'conversation.episodes'],
  ['ks:get_profile', 'conversation.profile'],
  ['a2p:query_memories', 'memories.query'],
  ['a2p:find_similar', 'memories.similar'],
  ['a2p:get_profile', 'memories.profile'],
  ['katra:recall_recent', 'thoughts.recent'],
  ['katra:recall_relevant', 'thoughts.relevant'],
  ['katra:recall_topic', 'thoughts.topic'],
  ['document:read', 'documents.read'],
  ['document:list', 'documents.list'],
  ['checkpoint:read', 'checkpoints.read'],
  ['checkpoint:list', 'checkpoints.list'],
]
const createVerbs: readonly (readonly [CapabilityId, ...BookMethod[]])[] = [
  ['kstar:store_trace', 'traces.store'],
  ['kstar:store_traces', 'traces.storeMany'],
  ['daybook:remember', 'remember'],
  ['kstar:store_perception', 'perceptions.store'],
  ['kstar:store_fact', 'facts.store'],
  ['kstar:store_skill', 'skills.store'],
  ['ks:store', 'conversation.store'],
  ['ks:store_messages', 'conversation.storeMany'],
  ['a2p:store_memory', 'memories.store'],
  ['katra:remember', 'thoughts.remember'],
  ['checkpoint:put', 'checkpoints.put'],
  ['checkpoint:put_writes', 'checkpoints.putWrites'],
]
const updateVerbs: readonly (readonly [CapabilityId, ...BookMethod[]])[] = [
  ['kstar:complete_trace', 'traces.complete'],
  ['kstar:update_perception', 'perceptions.update'],
  ['kstar:supersede_fact', 'facts.supersede'],
  ['kstar:update_skill_maturity', 'skills.recordOutcome'],
  ['kstar:restore', 'records.restore'],
  ['kstar:set_sensitivity', 'records.setSensitivity'],
  ['kstar:set_trust', 'records.setTrust'],
  ['mark:set', 'records.mark'],
  ['a2p:edit_memory', 'memories.edit'],
  ['a2p:archive', 'memories.archive'],
]
const deleteVerbs: readonly (readonly [CapabilityId, ...BookMethod[]])[] = [
  ['kstar:forget', ...forgetMethods],
  ['kstar:purge', 'records.purge'],
  ['ks:delete_message', 'conversation.forget'],
  ['ks:delete_episode', 'conversation.forgetEpisode'],
  ['ks:delete_agent_data', 'conversation.forgetAgent'],
  ['a2p:forget', 'memories.forget'],
  ['checkpoint:delete_thread', 'checkpoints.deleteThread'],
]

export const memoryVerbs: readonly MemoryVerb[] = [
  ...searchVerbs.map(verbRow('search_memory')),
  ...createVerbs.map(verbRow('create_memory')),
  ...updateVerbs.map(verbRow('update_memory')),
  ...deleteVerbs.map(verbRow('delete_memory')),
  // A call of `document:write` or `ks:update_profile` doesn't say whether the record is new.
  verbRow('upsert_memory')(['document:write', 'documents.write']),
  verbRow('upsert_memory')(['ks:update_profile', 'conversation.updateProfile']),
  verbRow('delete_memory_store')(['daybook:erase', 'erase']),
]

/** Returns the operation of a call. A `create_memory` whose input has `replace: true` is an upsert. */
export function operationOf(operation: MemoryOperation, input: unknown): MemoryOperation {
  const { replace } = (input ?? {}) as { readonly replace?: unknown }
  return operation === 'create_memory' && replace === true ? 'upsert_memory' : operation
}
