// The verbs of messages between agents; inbox-base.ts has the events.
// Invariant: `inbox:take` gives a message to an agent once. Between devices the mirror ensures it, except for
// guests and sealed messages, which a device takes itself.
import { z } from 'zod'
import { defineChapter } from '../../core/capability/chapter.ts'
import { inboxBase } from './inbox-base.ts'
import { inboxBody, type InboxBody, inboxContent } from './inbox-kind.ts'
import { isDaybookError, DaybookError } from '../../core/errors.ts'
import { bodyOf, type Stored } from '../../core/record.ts'
import { endingOf } from '../../core/zone.ts'
import type { CallPort, TaskContext } from '../../core/capability/context.ts'
import { defineCapability } from '../../core/capability/capability.ts'
import type { RecordReader } from '../../core/capability/port/record-port.ts'
import { defined } from '../../core/defined.ts'
import { nameId } from '../../core/text/name-id.ts'
import type { JsonObject } from '../../core/json/path.ts'
import { parseWith } from '../../core/schema.ts'
import { isSealing, sensitivities, type Sensitivity } from '../../core/sealed.ts'
import { instantOrDay, sealed, sealedField } from '../../shape/field.ts'
import { readVerb, writeVerb } from '../../shape/record-verbs.ts'
import { cursor, limit, restOf } from '../../shape/page.ts'

const agentName = z.string().min(1).max(1000)
/** Most records of one query. */
const maxQueried = 1000
const ids = z.array(z.string().min(1).max(128)).min(1).max(100)
const message = z.looseObject({ id: z.string(), text: z.string(), from: z.string(), sentAt: z.string() })
type Message = z.output<typeof message>

/**
 * The agent of the inbox: `requestedAgent`, or by default the caller. Throws `forbidden` for a guest that names another
 * agent.
 */
function inboxAgent(
  requestedAgent: string | undefined,
  { caller, scope }: CallPort,
  field: 'agent' | 'from' = 'agent',
): string {
  if (caller.role === 'owner') return requestedAgent ?? scope.agent
  if (requestedAgent === undefined || requestedAgent === caller.agent) return caller.agent
  const message =
    field === 'from'
      ? 'Only that agent sends in its name. Leave `from` out to send in your own.'
      : 'This is the inbox of another agent. Leave `agent` out to read your own.'
  throw new DaybookError('forbidden', message, { details: { path: field } })
}

/** The message of this id, if it is for `agent`. */
function readMessageFor(
  { get }: Pick<RecordReader, 'get'>,
  id: string,
  agent: string,
): InboxBody | undefined {
  const record = get(id)
  const body = record?.kind === 'inbox' ? inboxBody.safeParse(bodyOf(record)).data : undefined
  return body && (body.to === undefined || body.to === agent) ? body : undefined
}

const addressedTo = (agent: string) => ({ or: [{ to: agent }, { to: { exists: false } }] })
const lacksAgent = (field: 'deliveredTo' | 'acknowledgedBy', agent: string) => ({
  not: { [field]: { contains: agent } },
})
const toMessage = (record: Stored<JsonObject>) => record as unknown as Message

const takeResult = z.object({
  messages: z.array(message),
  /** True if more new messages exist. */
  more: z.boolean(),
  /** Number of sealed messages that can't be read there; absent: none. */
  sealed,
})
type TakeResult = z.output<typeof takeResult>

/** Takes messages on this device. `sealedOnly`: only sealed messages, which a mirror can't read. */
async function takeOnDevice(
  agent: string,
  { limit, sealedOnly = false }: { readonly limit: number; readonly sealedOnly?: boolean },
  { records }: TaskContext<'records'>,
): Promise<TakeResult> {
  const filters = { and: [addressedTo(agent), lacksAgent('deliveredTo', agent)] }
  // Sealed messages are selected after the query, so query many.
  const query = { kind: 'inbox', filters, orderBy: 'sentAt', limit: sealedOnly ? maxQueried : limit } as const
  const matches = ({ sensitivity }: { readonly sensitivity?: Sensitivity | undefined }) =>
    !sealedOnly || isSealing(sensitivity)
  // The write queries: a query before it would find messages that a simultaneous call takes.
  const ids = await records.write(({ records: transaction }) =>
    transaction
      .query(query)
      .records.filter(matches)
      .slice(0, limit)
      .flatMap(({ id }) => {
        const body = readMessageFor(transaction, id, agent)
        if (!body || body.deliveredTo.includes(agent)) return []
        const deliveredTo = [...body.deliveredTo, agent]
        transaction.put({ kind: 'inbox', id, body: { ...body, deliveredTo } as JsonObject })
        return [id]
      }),
  )
  const rest = records.query({ ...query, limit: sealedOnly ? maxQueried : 1 })
  // A repeated call (same requestId) gets the same ids, but the query no longer finds them: read the messages by
  // id.
  const messages = ids.flatMap((id) => records.get(id) ?? []).map(toMessage)
  return { messages, more: rest.records.some(matches), ...sealedField(rest.sealed ?? 0) }
}

/**
 * Takes messages at the mirror. Undefined without a mirror, for a guest, or if this device may not take messages
 * there.
 */
async function takeAtMirror(
  agent: string,
  limit: number,
  at: TaskContext<'records' | 'mirror'>,
): Promise<TakeResult | undefined> {
  // A guest takes messages here, within its reach: the mirror would treat it as the owner of this device.
  if (!at.mirror.ask || at.call.caller.role === 'guest') return undefined
  const isOnDevice = (id: string) => at.records.get(id) !== undefined
  // Send unsynced messages first.
  const filters = { and: [addressedTo(agent), lacksAgent('deliveredTo', agent)] }
  const undelivered = at.records.query({
    kind: 'inbox',
    filters,
    orderBy: 'sentAt',
    limit: maxQueried,
  }).records
  // Without a version, the mirror has no such record yet.
  if (undelivered.some(({ ver }) => ver === undefined || ver === 0)) await at.mirror.sync()
  try {
    const answer = parseWith(
      takeResult,
      await at.mirror.ask('inbox:take', agent, { agent, limit }),
      'protocol-error',
    )
    // Sync the records, so that they can be acknowledged here. After a fault, the next sync brings them.
    const needsSync = answer.sealed !== undefined || !answer.messages.every(({ id }) => isOnDevice(id))
    if (needsSync) await at.mirror.sync().catch(() => undefined)
    if (answer.sealed === undefined || answer.messages.length >= limit) return answer
    // The mirror can't return sealed messages. Take them here, with the keys of this device.
    const sealedResult = await takeOnDevice(
      agent,
      { limit: limit - answer.messages.length, sealedOnly: true },
      at,
    )
    const { sealed: unreadable = 0 } = sealedResult
    const messages = [...answer.messages, ...sealedResult.messages]
    return { messages, more: answer.more || sealedResult.more, ...sealedField(unreadable) }
  } catch (error) {
    if (isDaybookError(error, 'forbidden')) return undefined
    throw error
  }
}

export const inboxCapabilities = [
  writeVerb({
    id: 'inbox:send',
    method: 'inbox.send',
    summary:
      'Sends a message to an agent of this book, or to all of them. Two messages with one key are one message.',
    input: z.strictObject({
      // `to` (absent: every agent), `subject`, `text`, and `data` for programs.
      ...inboxContent,
      /** The sender. Default: the calling agent. A guest sends in its own name. */
      from: agentName.optional(),
      /** A name that the sender chooses. Two messages of one sender with one key are one message. */
      key: z.string().min(1).max(200).optional(),
      /** A bare date means the end of its day. */
      expiresAt: instantOrDay.optional(),
      /**
       * A `sensitive` or `restricted` message is encrypted before it is stored. Only a host with the book's keys
       * can read it.
       */
      sensitivity: z.enum(sensitivities).optional(),
    }),
    output: z.object({
      id: z.string(),
      /** False if the message was sent before. */
      sent: z.boolean(),
    }),
    run({ from: requestedSender, key, expiresAt: requestedExpiry, sensitivity, ...content }, at) {
      const from = inboxAgent(requestedSender, at.call, 'from')
      const expiresAt = requestedExpiry && endingOf(requestedExpiry, at.call.zone)
      // `scopes`: the id alone implies no scope name, because `to` decides it.
      const recordName =
        key === undefined ? undefined : { kind: 'inbox', id: nameId('inbox', from, key), scopes: [] }
      const fields = { ...content, from, ...defined({ expiresAt }) }
      // A sealed message that can't be read here can't be compared: the same name means the same message.
      const unreadableId = recordName && at.records.sealed.idOf(recordName)
      if (unreadableId !== undefined) return { id: unreadableId, sent: false }
      const existing = recordName && at.records.find(recordName)
      if (existing) {
        const { sentAt: _at, deliveredTo: _to, acknowledgedBy: _by, ...storedFields } = bodyOf(existing)
        if (JSON.stringify(sortedEntries(storedFields)) === JSON.stringify(sortedEntries(fields)))
          return { id: existing.id, sent: false }
        throw new DaybookError(
          'request-reused',
          'Another message has this key. Send this one under another key.',
          {
            details: { path: 'key' },
          },
        )
      }
      // The message was forgotten here, or moved out of reach. Its sender repeats it because no answer came.
      const lostId = recordName && at.records.lostId(recordName)
      if (lostId !== undefined) return { id: lostId, sent: false }
      const body = {
        ...fields,
        sentAt: at.call.now,
        deliveredTo: [],
        acknowledgedBy: [],
      } as object as JsonObject
      const scope = sensitivity === undefined ? undefined : { sensitivity }
      return {
        id: at.records.put({ kind: 'inbox', body, name: recordName, ...(scope ? { scope } : {}) }),
        sent: true,
      }
    },
  }),
  readVerb({
    id: 'inbox:list',
    method: 'inbox.list',
    summary: 'Lists the messages for an agent, oldest first: unacknowledged ones, or all.',
    input: z
      .strictObject({
        agent: agentName.optional(),
        state: z.enum(['undelivered', 'unacknowledged', 'all']).default('unacknowledged'),
        limit: limit(),
        cursor,
      })
      .prefault({}),
    output: z.object({ messages: z.array(message), cursor: z.string().optional(), sealed }),
    run({ agent: requestedAgent, state, limit, cursor }, at) {
      const agent = inboxAgent(requestedAgent, at.call)
      const stateFilter =
        state === 'all' ? [] : [lacksAgent(state === 'undelivered' ? 'deliveredTo' : 'acknowledgedBy', agent)]
      const filters = { and: [addressedTo(agent), ...stateFilter] }
      const page = at.records.query({ kind: 'inbox', filters, orderBy: 'sentAt', limit, cursor })
      return {
        messages: page.records.map(toMessage),
        ...restOf(page),
      }
    },
  }),
  defineCapability({
    id: 'inbox:take',
    permission: 'write',
    methods: ['inbox.take'],
    summary: 'Takes the new messages of an agent, oldest first, each once.',
    input: z
      .strictObject({
        agent: agentName.optional(),
        // Default 20, at most 100.
        limit: limit(20, 100),
      })
      .prefault({}),
    output: takeResult,
    effect: 'task',
    repeatable: true,
    uses: ['records', 'mirror'],
    async run({ agent: requestedAgent, limit }, at) {
      const agent = inboxAgent(requestedAgent, at.call)
      return (await takeAtMirror(agent, limit, at)) ?? takeOnDevice(agent, { limit }, at)
    },
  }),
  writeVerb({
    id: 'inbox:acknowledge',
    method: 'inbox.acknowledge',
    summary: 'Marks messages as dealt with by an agent.',
    input: z.strictObject({ ids, agent: agentName.optional() }),
    output: z.object({
      /** The ids that are messages for this agent. */
      acknowledged: z.array(z.string()),
    }),
    run({ ids: requestedIds, agent: requestedAgent }, at) {
      const agent = inboxAgent(requestedAgent, at.call)
      const acknowledged = [...new Set(requestedIds)].filter((id) => {
        const body = readMessageFor(at.records, id, agent)
        if (!body) return false
        if (body.acknowledgedBy.includes(agent)) return true
        const deliveredTo = [...new Set([...body.deliveredTo, agent])]
        const acknowledgedBy = [...body.acknowledgedBy, agent]
        at.records.put({ kind: 'inbox', id, body: { ...body, deliveredTo, acknowledgedBy } as JsonObject })
        return true
      })
      return { acknowledged }
    },
  }),
] as const

/** Fields in order of name, to compare them: stored fields may have another order. */
function sortedEntries(fields: object): [string, unknown][] {
  return Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .sort(([one], [other]) => (one < other ? -1 : 1))
}

export const inbox = defineChapter({ ...inboxBase, capabilities: inboxCapabilities })
