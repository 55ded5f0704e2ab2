// The rules of envelopes p3394/1.0, field by field: each wrong envelope is refused by its field, before a verb runs.
import { expect, it } from 'vitest'
import { answerEitherForm } from '../../../../src/doors/p3394/answer-agent.ts'

const json = { type: 'json', data: { capability_id: 'kstar:query_memory', arguments: {} } }
const envelope = {
  spec_version: 'p3394/1.0',
  message_id: 'e-1',
  session_id: 'sess-456',
  kind: 'message',
  performative: 'request',
  role: 'requester',
  timestamp: '2026-01-31T15:00:00Z',
  sender: { agent_id: 'ieee3394-exemplar', channel_instance_id: 'web', delegation: ['boss'] },
  recipients: [{ agent_id: 'kstar-memory' }],
  payload: { parts: [json] },
}

/** Answers a message, and notes the verbs that it ran. */
async function answer(message: unknown) {
  const calls: string[] = []
  const answered = await answerEitherForm(message, {
    now: () => 0,
    newId: () => 'answer',
    call(id) {
      calls.push(id)
      return Promise.resolve({ records: [] })
    },
  })
  return { calls, answered }
}

const over = (change: object) => ({ ...envelope, ...change })
const part = (one: object) => over({ payload: { parts: [json, one] } })
const sender = (change: object) => over({ sender: { ...envelope.sender, ...change } })
const blank = '  '
const long = 'x'.repeat(257)

it.each([
  ['no id', over({ message_id: undefined }), 'message_id'],
  ['a number as its id', over({ message_id: 7 }), 'message_id'],
  ['no version', over({ spec_version: null }), 'spec_version'],
  ['a later version', over({ spec_version: 'p3394/1.1' }), 'spec_version'],
  ['an empty session', over({ session_id: '' }), 'session_id'],
  ['a blank session', over({ session_id: blank }), 'session_id'],
  ['a task that is no text', over({ task_id: 7 }), 'task_id'],
  ['a blank task', over({ task_id: blank }), 'task_id'],
  ['no kind', over({ kind: undefined }), 'kind'],
  ['an unknown kind', over({ kind: 'song' }), 'kind'],
  ['an unknown performative', over({ performative: 'beg' }), 'performative'],
  ['an unknown role', over({ role: 'boss' }), 'role'],
  ['null as its role', over({ role: null }), 'role'],
  ['no time', over({ timestamp: 'yesterday' }), 'timestamp'],
  ['a number as its time', over({ timestamp: 1_769_871_600 }), 'timestamp'],
  ['no sender', over({ sender: undefined }), 'sender'],
  ['a sender without a name', over({ sender: {} }), 'sender.agent_id'],
  ['a sender with a blank name', sender({ agent_id: blank }), 'sender.agent_id'],
  ['a sender with a long name', sender({ agent_id: long }), 'sender.agent_id'],
  ['a sender with an empty alias', sender({ alias: '' }), 'sender.alias'],
  [
    'a sender with a channel that is no text',
    sender({ channel_instance_id: 1 }),
    'sender.channel_instance_id',
  ],
  ['a delegation that is no list', sender({ delegation: 'boss' }), 'sender.delegation'],
  ['a delegation by nobody', sender({ delegation: ['boss', ''] }), 'sender.delegation.1'],
  ['a delegation of 17', sender({ delegation: 'abcdefghijklmnopq'.split('') }), 'sender.delegation'],
  ['no recipients', over({ recipients: undefined }), 'recipients'],
  ['one recipient, not in a list', over({ recipients: { agent_id: 'kstar-memory' } }), 'recipients'],
  [
    'a second recipient without a name',
    over({ recipients: [{ agent_id: 'a' }, {}] }),
    'recipients.1.agent_id',
  ],
  ['no payload', over({ payload: undefined }), 'payload'],
  ['no parts', over({ payload: { parts: [] } }), 'payload.parts'],
  ['65 parts', over({ payload: { parts: Array.from({ length: 65 }, () => json) } }), 'payload.parts'],
  ['a part of an unknown type', part({ type: 'smell' }), 'payload.parts.1.type'],
  ['a text without text', part({ type: 'text' }), 'payload.parts.1.text'],
  ['JSON without data', part({ type: 'json' }), 'payload.parts.1.data'],
  ['control without data', part({ type: 'control' }), 'payload.parts.1.data'],
  ['a picture without data or address', part({ type: 'image' }), 'payload.parts.1.uri'],
  ['a resource with a blank address', part({ type: 'resource', uri: blank }), 'payload.parts.1.uri'],
  ['a media type that is no text', part({ ...json, media_type: 1 }), 'payload.parts.1.media_type'],
  ['an empty digest', part({ ...json, digest: '' }), 'payload.parts.1.digest'],
  ['a long file name', part({ ...json, name: long }), 'payload.parts.1.name'],
  ['a long text', part({ type: 'text', text: 'x'.repeat(128_001) }), 'payload.parts.1.text'],
  ['metadata that is a list', over({ payload: { parts: [json], metadata: [] } }), 'payload.metadata'],
  ['an empty question', over({ reply_to: '' }), 'reply_to'],
  ['an empty trace', over({ traceparent: '' }), 'traceparent'],
  ['extensions that are a list', over({ extensions: [] }), 'extensions'],
  ['large extensions', over({ extensions: { a: 'x'.repeat(64_000) } }), 'extensions'],
  ['an empty idempotency key', over({ idempotency_key: '' }), 'idempotency_key'],
])('refuses an envelope with %s, by its field', async (_what, message, path) => {
  const { calls, answered } = await answer(message)
  expect(answered).toMatchObject({
    kind: 'error',
    performative: 'error',
    payload: { parts: [{ data: { code: 'invalid-input', details: { path } } }] },
  })
  expect(calls).toEqual([])
})

it.each([
  ['the smallest', over({ session_id: undefined, role: undefined, timestamp: undefined })],
  ['every field', over({ task_id: 't', reply_to: 'e-0', extensions: { a: 1 }, idempotency_key: 'k', x: 1 })],
  [
    'a picture by its address',
    part({ type: 'image', uri: 'https://pictures.example/1', media_type: 'image/png' }),
  ],
  ['a picture in the message', part({ type: 'image', data: 'AAAA', name: 'one.png' })],
  ['JSON that is null', part({ type: 'json', data: null })],
  ['an observer', over({ role: 'observer' })],
])('answers an envelope: %s', async (_what, message) => {
  const { calls, answered } = await answer(message)
  expect([answered, calls]).toMatchObject([{ kind: 'message' }, [expect.any(String)]])
})

const message = {
  id: 'm-1',
  type: 'request',
  timestamp: '2026-01-31T15:00:00Z',
  source: { agent_id: 'ieee3394-exemplar', channel_id: 'web', session_id: 'sess-456' },
  destination: { agent_id: 'kstar-memory', capability_id: 'kstar:query_memory' },
  content: [{ type: 'json', data: {} }],
}
const uris = {
  source: 'p3394://ieee3394-exemplar/web?session=s',
  destination: 'p3394://kstar-memory/query_memory',
}

it.each([
  ['no id', { id: undefined }, 'id'],
  ['another type', { type: 'response' }, 'type'],
  ['no time', { timestamp: 'yesterday' }, 'timestamp'],
  ['no destination', { destination: undefined }, 'destination'],
  ['a destination of another scheme', { destination: 'https://kstar-memory' }, 'destination'],
  ['a destination without an agent', { destination: 'p3394:///query_memory' }, 'destination'],
  ['a source without an agent', { source: 'p3394://' }, 'source'],
  ['no content', { content: [] }, 'content'],
  ['a text as its content', { content: [{ type: 'text', data: 'x' }] }, 'content.0.type'],
])('refuses a message with %s, by its field, in both forms of addresses', async (_what, change, path) => {
  for (const form of [{}, uris]) {
    const { calls, answered } = await answer({ ...message, ...form, ...change })
    expect(answered).toMatchObject({
      type: 'error',
      content: [{ data: { code: 'invalid-input', details: { path } } }],
    })
    expect(calls).toEqual([])
  }
})

it('answers a message in both forms of addresses', async () => {
  for (const form of [{}, uris]) {
    const { calls, answered } = await answer({ ...message, ...form })
    expect([answered, calls]).toMatchObject([{ type: 'response' }, [expect.any(String)]])
  }
})
