// The verbs by which the user keeps memories: say one, change it, put it away, forget it. All but forgetting are the owner's.
import { z } from 'zod'
import { defineCapability } from '../../../core/capability/capability.ts'
import type { CallPort } from '../../../core/capability/context.ts'
import { DaybookError } from '../../../core/errors.ts'
import { sameJson } from '../../../core/json/same-json.ts'
import { instant } from '../../../shape/instant.ts'
import { recordId } from '../../../shape/record-id.ts'
import { scopeName } from '../../../shape/scope-name.ts'
import { isAlikeAgent } from '../../../core/text/fold-agent.ts'
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
import { checkNotProposed } from './not-proposed.ts'
import { bodyOfMemory, needMemory, noMemory, putMemory, withEdit } from './stored-memory.ts'

export const stored = {
  stored_at: z.string(),
  durability: z.enum(['opfs', 'indexeddb', 'memory', 'file', 'durable-object', 'postgres']),
}
export const storedNow = ({ now, durability }: CallPort) => ({ stored_at: now, durability })

/** A memory as the protocol writes it down, with its type beside it. */
const storeInput = z.strictObject({
  id: recordId.optional(),
  content,
  category,
  memory_type: memoryType.default('episodic'),
  confidence: confidenceInput.default(1),
  /** What it is now; an archived one is kept and not recalled. */
  status: z.enum(['approved', 'archived']).default('approved'),
  /** At least as its category usually is, unless the owner says less. */
  sensitivity: sensitivity.optional(),
  /** Labels of the user's own: `work`, `general`. They say nothing of who may read it. */
  scope: labels.optional(),
  tags: labels.optional(),
  /** Default: the user, now. */
  source: z.strictObject({ type: z.enum(sourceTypes), ...source, timestamp: instant.optional() }).optional(),
  /** `useCount` and `lastUsed` are counted by each device for itself, and not taken over. */
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
  const { scope, tags, source: from = { type: 'user_manual' as const }, metadata: told = {} } = input
  const { useCount: _count, lastUsed: _last, ...kept } = told
  const by = from.agentDid
  if (by !== undefined && isAlikeAgent(by, agent)) {
    throw new DaybookError(
      'forbidden',
      `\`${agent}\` stores no memory that it says itself: it proposes one.`,
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
    metadata: kept,
  }
}

/** The user has looked at it. */
const unflagged = { flagged: undefined, flaggedAt: undefined } as const

export const memoryCapabilities = [
  defineCapability({
    id: 'a2p:store_memory',
    methods: ['memories.store'],
    summary: 'Stores a memory that the user says or takes over; it is approved with that.',
    input: storeInput,
    output: z.object({
      id: z.string(),
      /** `unchanged`: the same memory is here under this id already. */
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
        const known = before.kind === 'memory' ? needMemory(at.records, id) : undefined
        const said = JSON.parse(JSON.stringify(body)) as object
        // Its own time is told by the first storing of it, where nobody says another.
        const timed = known && !input.source?.timestamp ? { ...said, source: known.source } : said
        if (known && sameJson(bodyOfMemory(known) as never, timed as never))
          return { id, result: 'unchanged' as const, ...storedNow(at.call) }
        throw new DaybookError(
          'conflict',
          `There is a record \`${id}\` already, and it says something else.`,
          {
            details: { path: 'id', id },
          },
        )
      }
      const put = at.records.put({
        kind: 'memory',
        ...(id === undefined ? {} : { id }),
        body: JSON.parse(JSON.stringify(body)) as never,
        scope: { sensitivity: level, ...(session === undefined ? {} : { session }) },
      })
      return { id: put, result: 'stored' as const, ...storedNow(at.call) }
    },
  }),
  defineCapability({
    id: 'a2p:edit_memory',
    methods: ['memories.edit'],
    summary: 'Changes what a memory says or how sure it is; what it said before stays with it.',
    input: z
      .strictObject({
        id: recordId,
        content: content.optional(),
        confidence: confidenceInput.optional(),
        sensitivity: sensitivity.optional(),
        scope: labels.optional(),
        tags: labels.optional(),
        /** The user has looked at it and says that it is so: its confidence begins anew, at 0.8 or more. */
        confirmed: z.literal(true).optional(),
      })
      .refine(({ id: _id, ...change }) => Object.values(change).some((one) => one !== undefined), {
        path: ['id'],
        message: 'says nothing: give what is to be changed',
      }),
    output: z.object({ id: z.string(), ...stored }),
    decides: { path: 'id' },
    effect: 'write',
    uses: ['records', 'own'],
    run({ id, scope, sensitivity: level, confirmed, ...said }, at) {
      checkNotProposed(at, said.content)
      const memory = needMemory(at.records, id)
      const { now } = at.call
      const before = bodyOfMemory(memory)
      const isEdited = said.content !== undefined && said.content !== memory.content
      const told = isEdited ? withEdit(memory, at.call.scope.agent, now) : memory.metadata
      const body: MemoryBody = {
        ...before,
        ...(said.content === undefined ? {} : { content: said.content }),
        ...(confirmed ? { confidence: confirmedConfidence(memory.confidence) } : {}),
        ...(said.confidence === undefined ? {} : { confidence: said.confidence }),
        ...(scope ? { labels: scope } : {}),
        ...(said.tags ? { tags: said.tags } : {}),
        // Whoever changes it has looked at it.
        metadata:
          isEdited || confirmed || said.confidence !== undefined ? { ...told, lastConfirmed: now } : told,
        ...unflagged,
      }
      putMemory(at.records, id, body, { sensitivity: level })
      return { id, ...storedNow(at.call) }
    },
  }),
  defineCapability({
    id: 'a2p:archive',
    methods: ['memories.archive'],
    summary: 'Puts a memory away: kept, and not recalled any more. With `archived: false` it comes back.',
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
      const { archivedAt: _at, ...told } = memory.metadata
      const { now } = at.call
      const metadata = archived ? { ...told, archivedAt: now } : { ...told, lastConfirmed: now }
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
      'Forgets a memory: its content and history go. What was made of several memories goes with any of them.',
    input: z.strictObject({ id: recordId }),
    output: z.object({ id: z.string(), forgotten: z.boolean() }),
    effect: 'write',
    uses: ['records'],
    run({ id }, at) {
      // One that is locked can be forgotten unread.
      const kind = at.records.sealed.find(id)?.kind ?? at.records.get(id)?.kind
      if (kind !== undefined && kind !== 'memory') throw noMemory(id)
      return { id, forgotten: at.records.forget(id) }
    },
  }),
] as const
