// The verbs by which the user manages memories: store, edit, archive, forget. Only the owner may call the first
// three; to forget needs the permission `forget`.
import { z } from 'zod'
import { defineCapability } from '../../../core/capability/capability.ts'
import type { CallPort } from '../../../core/capability/context.ts'
import { DaybookError } from '../../../core/errors.ts'
import { sameJson } from '../../../core/json/path.ts'
import { instant, recordId, scopeName } from '../../../shape/field.ts'
import { fold, isAlikeAgent } from '../../../core/text/fold.ts'
import { raisedSensitivity } from './category.ts'
import { confirmedConfidence } from './confidence.ts'
import {
  category,
  confidenceInput,
  content,
  edit,
  labels,
  type MemoryBody,
  memoryType,
  metadata,
  sensitivity,
  source,
  sourceTypes,
} from './memory-schema.ts'
import { bodyOfMemory, needMemory, noMemory, putMemory, withEdit } from './stored-memory.ts'
import type { OwnReader } from '../../../core/capability/port/record-port.ts'
import { defined } from '../../../core/defined.ts'
import { stored, storedNow } from '../../../shape/receipt.ts'

/** Most proposals to search: the latest of the agent, and the latest of all agents. */
const searchLimit = 1000
const approved: ReadonlySet<unknown> = new Set(['approved', 'edited'])

/**
 * Throws `forbidden` if the caller's agent proposed `content` and no one approved the proposal: the agent may not
 * store that text in the owner's name.
 */
export function checkNotProposed(
  { own, call: { scope } }: { readonly own: Pick<OwnReader, 'query'>; readonly call: CallPort },
  content: string | undefined,
  path = 'content',
): void {
  if (content === undefined) return
  const ofAgent = own.query({ kind: 'proposal', filters: { by: scope.agent }, limit: searchLimit }).records
  // The agent may have used another spelling of its name for the proposal.
  const latest = own
    .query({ kind: 'proposal', limit: searchLimit })
    .records.filter(({ by }) => typeof by === 'string' && isAlikeAgent(by, scope.agent))
  const text = fold(content.trim())
  const isOpen = [...ofAgent, ...latest].some(
    ({ content: proposed, status }) =>
      typeof proposed === 'string' && !approved.has(status) && fold(proposed.trim()) === text,
  )
  if (!isOpen) return
  throw new DaybookError(
    'forbidden',
    `\`${scope.agent}\` has proposed this and may not decide about it; ask another person to decide.`,
    { details: { path, reason: 'proposer' } },
  )
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
  source: z.strictObject({ type: z.enum(sourceTypes), ...source, timestamp: instant.optional() }).optional(),
  /** `useCount` and `lastUsed` are ignored: each device counts its own uses. */
  metadata: z
    .strictObject({
      ...metadata,
      editHistory: z.array(edit).max(50).optional(),
      useCount: z.number().int().min(0).optional(),
      lastUsed: instant.optional(),
    })
    .optional(),
  session: scopeName.optional(),
})

function bodyOfInput(input: z.output<typeof storeInput>, { now, scope: { agent } }: CallPort): MemoryBody {
  const { scope, tags, source: from = { type: 'user_manual' as const }, metadata: previous = {} } = input
  const { useCount: _count, lastUsed: _last, ...rest } = previous
  const by = from.agentDid
  if (by !== undefined && isAlikeAgent(by, agent)) {
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
    source: { ...from, timestamp: from.timestamp ?? now },
    metadata: rest,
  }
}

/** Removes the flag from a memory; every change by the user does so. */
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
    uses: ['records', 'own'],
    run(input, at) {
      const body = bodyOfInput(input, at.call)
      checkNotProposed(at, input.content)
      const level = input.sensitivity ?? raisedSensitivity(input.category, undefined)
      const { id, session } = input
      const before = id === undefined ? undefined : at.records.get(id)
      if (id !== undefined && before) {
        const existing = before.kind === 'memory' ? needMemory(at.records, id) : undefined
        const json = JSON.parse(JSON.stringify(body)) as object
        // If the input has no time of its own, that of the first storing counts.
        const timed = existing && !input.source?.timestamp ? { ...json, source: existing.source } : json
        if (existing && sameJson(bodyOfMemory(existing) as never, timed as never))
          return { id, result: 'unchanged' as const, ...storedNow(at.call) }
        throw new DaybookError('conflict', `Record \`${id}\` already exists with other content.`, {
          details: { path: 'id', id },
        })
      }
      const put = at.records.put({
        kind: 'memory',
        ...defined({ id }),
        body: JSON.parse(JSON.stringify(body)) as never,
        scope: { sensitivity: level, ...defined({ session }) },
      })
      return { id: put, result: 'stored' as const, ...storedNow(at.call) }
    },
  }),
  defineCapability({
    id: 'a2p:edit_memory',
    methods: ['memories.edit'],
    summary: 'Changes the text or the confidence of a memory; the earlier text stays in its history.',
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
      .refine(({ id: _id, ...change }) => Object.values(change).some((one) => one !== undefined), {
        path: ['id'],
        message: 'changes nothing: pass a field to change',
      }),
    output: z.object({ id: z.string(), ...stored }),
    decides: { path: 'id' },
    effect: 'write',
    uses: ['records', 'own'],
    run({ id, scope, sensitivity: level, confirmed, ...change }, at) {
      checkNotProposed(at, change.content)
      const memory = needMemory(at.records, id)
      const { now } = at.call
      const before = bodyOfMemory(memory)
      const isEdited = change.content !== undefined && change.content !== memory.content
      const previous = isEdited ? withEdit(memory, at.call.scope.agent, now) : memory.metadata
      const body: MemoryBody = {
        ...before,
        ...defined({ content: change.content }),
        ...(confirmed ? { confidence: confirmedConfidence(memory.confidence) } : {}),
        ...defined({ confidence: change.confidence }),
        ...(scope ? { labels: scope } : {}),
        ...(change.tags ? { tags: change.tags } : {}),
        // A change of the content or the confidence confirms the memory too.
        metadata:
          isEdited || confirmed || change.confidence !== undefined
            ? { ...previous, lastConfirmed: now }
            : previous,
        ...unflagged,
      }
      putMemory(at.records, id, body, { sensitivity: level })
      return { id, ...storedNow(at.call) }
    },
  }),
  defineCapability({
    id: 'a2p:archive',
    methods: ['memories.archive'],
    summary: 'Archives a memory: stored, no longer recalled. `archived: false` brings it back.',
    input: z.strictObject({ id: recordId, archived: z.boolean().default(true) }),
    output: z.object({ id: z.string(), changed: z.boolean(), status: z.string(), ...stored }),
    decides: { path: 'id' },
    effect: 'write',
    uses: ['records'],
    run({ id, archived }, at) {
      const memory = needMemory(at.records, id)
      const wanted = archived ? 'archived' : 'approved'
      const isFit = memory.status === 'approved' || memory.status === 'archived'
      if (!isFit) {
        throw new DaybookError('conflict', `\`${id}\` is ${memory.status}: review it first.`, {
          details: { path: 'id', status: memory.status },
        })
      }
      if (memory.status === wanted) return { id, changed: false, status: wanted, ...storedNow(at.call) }
      const { archivedAt: _at, ...previous } = memory.metadata
      const { now } = at.call
      const metadata = archived ? { ...previous, archivedAt: now } : { ...previous, lastConfirmed: now }
      putMemory(at.records, id, {
        ...bodyOfMemory(memory),
        status: wanted,
        confidence: archived ? memory.confidence : confirmedConfidence(memory.confidence),
        metadata,
        ...unflagged,
        faded: undefined,
      })
      return { id, changed: true, status: wanted, ...storedNow(at.call) }
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
      if (kind !== undefined && kind !== 'memory') throw noMemory(id)
      return { id, forgotten: at.records.forget(id) }
    },
  }),
] as const
