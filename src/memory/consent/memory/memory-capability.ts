// The verbs by which the user manages memories: store, edit, archive, forget. Only the owner may call the first
// three; to forget needs the permission `forget`.
import { z } from 'zod'
import { defineCapability } from '../../../core/capability/capability.ts'
import type { CallPort } from '../../../core/capability/context.ts'
import { DaybookError } from '../../../core/errors.ts'
import { type JsonObject, sameJson } from '../../../core/json/path.ts'
import { instant, recordId, scopeName } from '../../../shape/field.ts'
import { fold, isAlikeAgent } from '../../../core/text/fold.ts'
import { raisedSensitivity } from './category.ts'
import { confirmedConfidence } from './confidence.ts'
import {
  category,
  confidenceInput,
  content,
  editEntry,
  labels,
  type MemoryBody,
  memoryType,
  metadataFields,
  sensitivity,
  sourceFields,
  sourceTypes,
} from './memory-schema.ts'
import { bodyOfMemory, requireMemory, memoryNotFound, putMemory, metadataWithEdit } from './stored-memory.ts'
import type { OwnReader } from '../../../core/capability/port/record-port.ts'
import { defined } from '../../../core/defined.ts'
import { stored, storedNow } from '../../../shape/receipt.ts'

const proposalsPerPage = 1000

/**
 * Throws `forbidden` if the caller's agent proposed `content` and no one approved the proposal: the agent may not
 * store that text in the owner's name.
 */
export function assertNotProposed(
  { own, call: { scope } }: { readonly own: Pick<OwnReader, 'query'>; readonly call: CallPort },
  content: string | undefined,
  path = 'content',
): void {
  if (content === undefined) return
  const text = fold(content.trim())
  for (const { by, content: proposed } of unapprovedProposals(own)) {
    // The agent may have used another spelling of its name for the proposal.
    const isOwn = typeof by === 'string' && isAlikeAgent(by, scope.agent)
    if (!isOwn || typeof proposed !== 'string' || fold(proposed.trim()) !== text) continue
    throw new DaybookError(
      'forbidden',
      `\`${scope.agent}\` has proposed this and may not decide about it; ask another person to decide.`,
      { details: { path, reason: 'proposer' } },
    )
  }
}

/** The proposals that no one approved, read page by page. */
function* unapprovedProposals(own: Pick<OwnReader, 'query'>): Iterable<JsonObject> {
  const filters = { not: { status: { in: ['approved', 'edited'] } } }
  let cursor: string | undefined
  do {
    const page = own.query({ kind: 'proposal', filters, limit: proposalsPerPage, ...defined({ cursor }) })
    yield* page.records
    cursor = page.cursor
  } while (cursor !== undefined)
}

/** Input: a memory in the protocol's form, with its type. */
const storeInput = z.strictObject({
  id: recordId.optional(),
  content,
  category,
  memory_type: memoryType.default('episodic'),
  confidence: confidenceInput.default(1),
  /** `archived`: the memory is stored, and recall never returns it. */
  status: z.enum(['approved', 'archived']).default('approved'),
  /** Default: the usual sensitivity of the category. The owner may choose a lower one. */
  sensitivity: sensitivity.optional(),
  /** The user's own labels, such as `work`. Labels don't affect who may read the memory. */
  scope: labels.optional(),
  tags: labels.optional(),
  /** Default: `user_manual`, now. */
  source: z
    .strictObject({ type: z.enum(sourceTypes), ...sourceFields, timestamp: instant.optional() })
    .optional(),
  /** `useCount` and `lastUsed` are ignored: each device counts its own uses. */
  metadata: z
    .strictObject({
      ...metadataFields,
      editHistory: z.array(editEntry).max(50).optional(),
      useCount: z.number().int().min(0).optional(),
      lastUsed: instant.optional(),
    })
    .optional(),
  session: scopeName.optional(),
})

function bodyOfInput(input: z.output<typeof storeInput>, { now, scope: { agent } }: CallPort): MemoryBody {
  const {
    scope,
    tags,
    source: sourceInput = { type: 'user_manual' as const },
    metadata: inputMetadata = {},
  } = input
  const { useCount: _count, lastUsed: _last, ...rest } = inputMetadata
  const agentDid = sourceInput.agentDid
  if (agentDid !== undefined && isAlikeAgent(agentDid, agent)) {
    throw new DaybookError(
      'forbidden',
      `\`${agent}\` may not store a memory of its own; propose it instead.`,
      {
        details: { path: 'source.agentDid', reason: 'proposer' },
      },
    )
  }
  return {
    content: input.content,
    category: input.category,
    memory_type: input.memory_type,
    status: input.status,
    confidence: input.confidence,
    ...(scope ? { labels: scope } : {}),
    ...(tags ? { tags } : {}),
    source: { ...sourceInput, timestamp: sourceInput.timestamp ?? now },
    metadata: rest,
  }
}

/**
 * Returns `again`, the body of a repeated call, with the source of the stored memory unless `input` names one. A source
 * without a time gets the stored time, because its default is the time of the call.
 */
function sourcedAs(
  { source: before }: MemoryBody,
  again: MemoryBody,
  { source: given }: z.output<typeof storeInput>,
): MemoryBody {
  if (!given) return { ...again, source: before }
  const timestamp = given.timestamp ?? before.timestamp
  return { ...again, source: { ...again.source, timestamp } }
}

/** Fields that remove the flag from a memory; every change by the user does so. */
const unflagged = { flagged: undefined, flaggedAt: undefined } as const

export const memoryCapabilities = [
  defineCapability({
    id: 'a2p:store_memory',
    methods: ['memories.store'],
    summary: "Stores a memory of the user's own words; it is approved by this.",
    input: storeInput,
    output: z.object({
      id: z.string(),
      /** `unchanged`: the same memory already exists under this id. */
      result: z.enum(['stored', 'unchanged']),
      ...stored,
    }),
    effect: 'write',
    // own: the proposals, for `assertNotProposed`.
    uses: ['records', 'own'],
    run(input, at) {
      const body = bodyOfInput(input, at.call)
      assertNotProposed(at, input.content)
      const level = input.sensitivity ?? raisedSensitivity(input.category, undefined)
      const { id, session } = input
      const existingRecord = id === undefined ? undefined : at.records.get(id)
      if (id !== undefined && existingRecord) {
        const existing = existingRecord.kind === 'memory' ? requireMemory(at.records, id) : undefined
        const again = JSON.parse(JSON.stringify(body)) as MemoryBody
        const comparable = existing && sourcedAs(existing, again, input)
        const isSame =
          existing !== undefined &&
          sameJson(bodyOfMemory(existing) as never, comparable as never) &&
          (input.sensitivity ?? existing.sensitivity) === existing.sensitivity &&
          (session ?? existing.session) === existing.session
        if (isSame) return { id, result: 'unchanged' as const, ...storedNow(at.call) }
        throw new DaybookError(
          'conflict',
          `Record \`${id}\` already exists with other fields. Use another id, or \`memories.edit\`.`,
          {
            details: { path: 'id', id },
          },
        )
      }
      const storedId = at.records.put({
        kind: 'memory',
        ...defined({ id }),
        body: JSON.parse(JSON.stringify(body)) as never,
        scope: { sensitivity: level, ...defined({ session }) },
      })
      return { id: storedId, result: 'stored' as const, ...storedNow(at.call) }
    },
  }),
  defineCapability({
    id: 'a2p:edit_memory',
    methods: ['memories.edit'],
    summary:
      'Changes the text, confidence, sensitivity, labels or tags of a memory, or confirms it. The earlier text stays in its history.',
    input: z
      .strictObject({
        id: recordId,
        content: content.optional(),
        confidence: confidenceInput.optional(),
        sensitivity: sensitivity.optional(),
        scope: labels.optional(),
        tags: labels.optional(),
        /** True: the user confirms the memory. Its confidence restarts, at 0.8 or more. */
        confirmed: z.literal(true).optional(),
      })
      .refine(({ id: _id, ...change }) => Object.values(change).some((value) => value !== undefined), {
        path: ['id'],
        message: 'Pass a field to change',
      }),
    output: z.object({ id: z.string(), ...stored }),
    // The engine refuses the call of an agent that proposed this memory.
    decides: { path: 'id' },
    effect: 'write',
    // own: the proposals, for `assertNotProposed`.
    uses: ['records', 'own'],
    run({ id, scope, sensitivity: level, confirmed, ...change }, at) {
      assertNotProposed(at, change.content)
      const memory = requireMemory(at.records, id)
      const { now } = at.call
      const currentBody = bodyOfMemory(memory)
      const isEdited = change.content !== undefined && change.content !== memory.content
      const metadata = isEdited ? metadataWithEdit(memory, at.call.scope.agent, now) : memory.metadata
      const body: MemoryBody = {
        ...currentBody,
        ...defined({ content: change.content }),
        ...(confirmed ? { confidence: confirmedConfidence(memory.confidence) } : {}),
        ...defined({ confidence: change.confidence }),
        ...(scope ? { labels: scope } : {}),
        ...(change.tags ? { tags: change.tags } : {}),
        // A change of the content or the confidence confirms the memory too.
        metadata:
          isEdited || confirmed || change.confidence !== undefined
            ? { ...metadata, lastConfirmed: now }
            : metadata,
        ...unflagged,
      }
      putMemory(at.records, id, body, { sensitivity: level })
      return { id, ...storedNow(at.call) }
    },
  }),
  defineCapability({
    id: 'a2p:archive',
    methods: ['memories.archive'],
    summary:
      'Archives a memory: stored, no longer recalled. `archived: false` brings it back and confirms it.',
    input: z.strictObject({ id: recordId, archived: z.boolean().default(true) }),
    output: z.object({ id: z.string(), changed: z.boolean(), status: z.string(), ...stored }),
    // As above.
    decides: { path: 'id' },
    effect: 'write',
    uses: ['records'],
    run({ id, archived }, at) {
      const memory = requireMemory(at.records, id)
      const newStatus = archived ? 'archived' : 'approved'
      const isReviewed = memory.status === 'approved' || memory.status === 'archived'
      if (!isReviewed) {
        throw new DaybookError('conflict', `\`${id}\` is ${memory.status}: review it first.`, {
          details: { path: 'id', status: memory.status },
        })
      }
      if (memory.status === newStatus) return { id, changed: false, status: newStatus, ...storedNow(at.call) }
      const { archivedAt: _at, ...previous } = memory.metadata
      const { now } = at.call
      const metadata = archived ? { ...previous, archivedAt: now } : { ...previous, lastConfirmed: now }
      putMemory(at.records, id, {
        ...bodyOfMemory(memory),
        status: newStatus,
        confidence: archived ? memory.confidence : confirmedConfidence(memory.confidence),
        metadata,
        ...unflagged,
        faded: undefined,
      })
      return { id, changed: true, status: newStatus, ...storedNow(at.call) }
    },
  }),
  defineCapability({
    id: 'a2p:forget',
    permission: 'forget',
    methods: ['memories.forget'],
    summary:
      'Forgets a memory: its content and history go. A consolidated memory goes with any of its sources.',
    input: z.strictObject({ id: recordId }),
    output: z.object({ id: z.string(), forgotten: z.boolean() }),
    effect: 'write',
    uses: ['records'],
    run({ id }, at) {
      // A locked memory can be forgotten without reading it.
      const kind = at.records.sealed.find(id)?.kind ?? at.records.get(id)?.kind
      if (kind !== undefined && kind !== 'memory') throw memoryNotFound(id)
      return { id, forgotten: at.records.forget(id) }
    },
  }),
] as const
