// The verbs of messages: store one or many, list, delete.
import { z } from 'zod'
import { defineCapability } from '../../../core/capability/capability.ts'
import { DaybookError } from '../../../core/errors.ts'
import { scopeName } from '../../../shape/field.ts'
import { sensitivities } from '../../../core/sealed.ts'
import { messageRecord, messageInput } from './message-kind.ts'
import { storeMessage } from './store-message.ts'
import { conversationScope, listVerb, messageName, storageScope } from './conversation-scope.ts'
import { writeVerb } from '../../../shape/record-verbs.ts'

/** A `sensitive` or `restricted` message is encrypted before it is stored or sent. */
const sensitivity = z.enum(sensitivities).optional()

const outcomeFields = {
  /** Id of the stored message; for a duplicate, of the existing message. */
  id: z.string().optional(),
  result: z.enum(['stored', 'skipped']),
  /** Reason why the message was skipped. */
  reason: z.enum(['empty content', 'duplicate msg_id', 'duplicate content']).optional(),
}

export const messageCapabilities = [
  writeVerb({
    id: 'ks:store',
    method: 'conversation.store',
    summary: 'Stores a message of a conversation; skips an empty or a known one and reports it.',
    input: z.strictObject({ ...conversationScope, sensitivity, message: messageInput }),
    output: z.object({ ok: z.boolean(), skipped: z.boolean().optional(), ...outcomeFields }),
    run({ message: messageFields, sensitivity: level, ...scope }, at) {
      const stored = storeMessage(messageFields, { ...storageScope(scope, at.call), sensitivity: level }, at)
      return { ok: true, ...(stored.result === 'skipped' ? { skipped: true } : {}), ...stored }
    },
  }),
  writeVerb({
    id: 'ks:store_messages',
    method: 'conversation.storeMany',
    summary:
      'Stores up to 1,000 messages in one transaction, in their order: all that are new, or on an error none.',
    input: z.strictObject({
      ...conversationScope,
      sensitivity,
      messages: z.array(messageInput).min(1).max(1e3),
    }),
    output: z.object({
      ok: z.boolean(),
      stored: z.number(),
      skipped: z.number(),
      /** One outcome for each message, in input order. */
      results: z.array(z.object(outcomeFields)),
    }),
    run({ messages, sensitivity: level, ...scope }, at) {
      const messageScope = { ...storageScope(scope, at.call), sensitivity: level }
      // `i`: messages without a time get times one millisecond apart, in input order.
      const results = messages.map((message, i) => storeMessage(message, messageScope, at, i))
      const stored = results.filter(({ result }) => result === 'stored').length
      return { ok: true, stored, skipped: results.length - stored, results }
    },
  }),
  listVerb('message', messageRecord, {
    id: 'ks:list_messages',
    method: 'conversation.list',
    summary:
      'Lists messages, newest first unless asked otherwise, a page at a time; of all agents unless one is named.',
  }),
  defineCapability({
    id: 'ks:delete_message',
    permission: 'forget',
    methods: ['conversation.forget'],
    summary: 'Forgets one message of an agent, by the id of its record or the name its sender gave it.',
    input: z.strictObject({ agent: scopeName.optional(), id: z.string().min(1).max(1000) }),
    output: z.object({ ok: z.boolean(), deletedId: z.string() }),
    effect: 'write',
    uses: ['records'],
    run({ agent: agentName, id }, at) {
      const agent = agentName ?? at.call.scope.agent
      const candidates = [at.records.get(id), at.records.find(messageName(agent, id))]
      const message = candidates.find(
        (candidate) => candidate?.kind === 'message' && candidate.agent === agent,
      )
      if (!message) {
        throw new DaybookError('not-found', `There is no message \`${id}\` of agent \`${agent}\`.`, {
          details: { path: 'id' },
        })
      }
      at.records.forget(message.id)
      return { ok: true, deletedId: id }
    },
  }),
] as const
