// Envelopes p3394/1.0, and who it is that sends a message: what its token or key permits, and no more.
import { describe, expect, it } from 'vitest'
import { helper, proposed } from '../../../../contract/consent/proposal.ts'
import { storeTraceMessage } from '../../../../contract/seed-shape/specification-data.ts'
import { frameOf, openRaw, socketOf } from '../socket/raw-socket.ts'
import { content, destination, id, newPath, openBook, place, receipt, world } from './agent-world.ts'

const envelope = {
  spec_version: 'p3394/1.0',
  message_id: 'e-1',
  session_id: 'sess-456',
  kind: 'message',
  performative: 'request',
  role: 'requester',
  sender: { agent_id: 'ieee3394-exemplar' },
  recipients: [{ agent_id: 'kstar-memory' }],
  payload: {
    parts: [{ type: 'json', data: { capability_id: destination.capability_id, arguments: content[0].data } }],
    metadata: { tenant: 'ieee', hops: [1, 2] },
  },
  traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
}

describe('an envelope p3394/1.0', () => {
  const answered = {
    spec_version: 'p3394/1.0',
    session_id: 'sess-456',
    kind: 'message',
    performative: 'response',
    role: 'responder',
    sender: { agent_id: 'kstar-memory' },
    recipients: [{ agent_id: 'ieee3394-exemplar' }],
    payload: { parts: [{ type: 'json', data: receipt }], metadata: envelope.payload.metadata },
    reply_to: 'e-1',
    idempotency_key: expect.any(String) as string,
    traceparent: envelope.traceparent,
  }

  it('is answered in its own form over the socket and over HTTP, once for each idempotency key', async () => {
    const path = newPath()
    const book = await openBook(path)
    const raw = await openRaw(socketOf(path))
    expect(await raw.ask({ t: 'envelope', envelope })).toMatchObject({ t: 'envelope', envelope: answered })
    const keyed = { ...envelope, message_id: 'e-2', idempotency_key: 'e-1' }
    expect(await raw.ask(keyed)).toMatchObject({ ...answered, reply_to: 'e-2' })
    const [record, ...more] = (await book.traces.query()).records
    expect(more).toEqual([])
    expect(record).toMatchObject({
      ...content[0].data,
      agent: 'ieee3394-exemplar',
      session: 'sess-456',
    })
    raw.socket.end()
    const { status, body } = await world.ask(`${place.url}/messages`, envelope)
    expect([status, body]).toMatchObject([200, answered])
  })

  it.each([
    ['another version', { spec_version: 'p3394/2.0' }, 'spec_version'],
    ['what is no message', { kind: 'task' }, 'kind'],
    ['what asks for nothing', { performative: 'inform' }, 'performative'],
    ['nobody', { recipients: [] }, 'recipients'],
    ['no part that is JSON', { payload: { parts: [{ type: 'text', text: 'store this' }] } }, 'payload.parts'],
    ['no capability', { payload: { parts: [{ type: 'json', data: {} }] } }, 'payload.parts.0.data'],
    ['an id of 201 characters', { message_id: 'x'.repeat(201) }, 'message_id'],
    ['a role that there is not', { role: 'boss' }, 'role'],
    ['a part without its data', { payload: { parts: [{ type: 'json' }] } }, 'payload.parts.0.data'],
  ])('is refused when it is of or for %s, by the field, over both', async (_what, over, at) => {
    const path = newPath()
    await openBook(path)
    const raw = await openRaw(socketOf(path))
    const refused = {
      kind: 'error',
      performative: 'error',
      payload: { parts: [{ data: { code: 'invalid-input', details: { path: at } } }] },
    }
    expect(await raw.ask({ ...envelope, ...over })).toMatchObject(refused)
    raw.socket.end()
    const { status, body } = await world.ask(`${place.url}/messages`, { ...envelope, ...over })
    expect([status, body]).toMatchObject([400, { ...refused, code: 'invalid-input', details: { path: at } }])
  })
})

it('a message carries its session, its conversation and its metadata back, with an error too, as far as they are sound', async () => {
  const path = newPath()
  await openBook(path)
  const raw = await openRaw(socketOf(path))
  const beside = { session_id: 'sess-456', conversation_id: 'talk-1', metadata: { hops: [1, 2] } }
  expect(await raw.ask({ ...storeTraceMessage, ...beside })).toMatchObject({ type: 'response', ...beside })
  const wrong = { ...storeTraceMessage, id: 'wrong', content: [], ...beside }
  expect(await raw.ask(wrong)).toMatchObject({ type: 'error', ...beside })
  const long = { ...storeTraceMessage, id: 'long', metadata: { text: 'x'.repeat(64_001) }, session_id: 7 }
  const { metadata, session_id } = (await raw.ask(long)) as Record<string, unknown>
  expect([metadata, session_id]).toEqual([undefined, undefined])
  raw.socket.end()
  const { body } = await world.ask(`${place.url}/messages`, { ...wrong, id: 'wrong-2' })
  expect(body).toMatchObject({ type: 'error', code: 'invalid-input', ...beside })
})

describe('who sends', () => {
  it('is what the token permits, and the proposer decides nothing, in either form, over the socket and over HTTP', async () => {
    const path = newPath()
    const book = await openBook(path)
    const permissions = ['**', 'read', 'write', 'propose']
    const { bearer = '' } = await book.tokens.grant({
      granted_to: helper,
      scope: '**',
      permissions,
      expires_at: '2099-01-01T00:00:00.000Z',
    })
    const { id: waiting } = await book.with({ agent: helper }).proposals.propose(proposed)
    const review = { id: waiting, action: 'approve' }
    const message = {
      ...storeTraceMessage,
      id: 'review',
      destination: { agent_id: 'kstar-memory', capability_id: 'a2p:review' },
      content: [{ type: 'json', data: review }],
    }
    const inName = {
      ...envelope,
      message_id: 'review-2',
      sender: { agent_id: helper },
      payload: { parts: [{ type: 'json', data: { capability_id: 'a2p:review', arguments: review } }] },
    }
    const raw = await openRaw(socketOf(path))
    const refusedInName = {
      kind: 'error',
      payload: { parts: [{ data: { code: 'forbidden', details: { reason: 'proposer' } } }] },
    }
    expect(await raw.ask(inName)).toMatchObject(refusedInName)
    const asHolder = await openRaw(socketOf(path))
    asHolder.socket.write(frameOf({ t: 'auth', token: bearer }))
    const refused = { type: 'error', content: [{ data: { code: 'forbidden' } }] }
    expect(await asHolder.ask(message)).toMatchObject(refused)
    expect(await asHolder.ask(inName)).toMatchObject({
      kind: 'error',
      payload: { parts: [{ data: { code: 'forbidden' } }] },
    })
    // What it may do it does as its holder, whatever name it gives.
    const stores = { ...envelope, message_id: 'stores', sender: { agent_id: 'somebody' }, session_id: 's' }
    expect(await asHolder.ask(stores)).toMatchObject({ kind: 'message' })
    expect((await book.traces.query()).records).toMatchObject([{ agent: helper }])
    expect((await book.proposals.list({ id: waiting })).proposals).toMatchObject([{ status: 'pending' }])
    // The owner decides, with the same message in nobody else's name.
    expect(await raw.ask({ ...message, id: 'review-3' })).toMatchObject({ type: 'response' })
    for (const { socket } of [raw, asHolder]) socket.end()
    // Over HTTP an agent proposes and reviews with a key of its own.
    const there = place
    const made = await world.run(there, 'daybook:create_access_key', {
      name: 'helper',
      permissions,
      scope: '**',
    })
    const asKey = { authorization: `Bearer ${String(made.body['key'])}` }
    const { body: proposal } = await world.run(there, 'a2p:propose', proposed, asKey)
    const reviewThere = { ...message, content: [{ type: 'json', data: { ...review, id: proposal['id'] } }] }
    const { status, body } = await world.ask(`${place.url}/messages`, reviewThere, asKey)
    expect([status, body]).toMatchObject([403, { ...refused, code: 'forbidden' }])
  })

  it('presents a credential that is none is refused, and nothing after it is done', async () => {
    const path = newPath()
    const book = await openBook(path)
    const raw = await openRaw(socketOf(path))
    raw.socket.write(Buffer.concat([frameOf({ t: 'auth', token: 'dbt1.AAAA' }), frameOf(storeTraceMessage)]))
    const all = await raw.rest()
    expect(all[0]).toMatchObject({ t: 'error', error: { code: 'unauthorized' } })
    expect((await book.traces.count()).total).toBe(0)
    expect(
      (await world.ask(`${place.url}/messages`, storeTraceMessage, { authorization: 'Bearer wrong' })).status,
    ).toBe(401)
  })

  it('names a book in a header, or is told which ways there are to name it', async () => {
    const { url } = await world.start()
    const { status, body } = await world.ask(`${url}/messages`, storeTraceMessage)
    expect([status, body['code'], body['details']]).toEqual([
      400,
      'invalid-input',
      { path: 'X-Daybook-Book' },
    ])
    const named = await world.ask(`${url}/messages`, storeTraceMessage, { 'x-daybook-book': 'by-header' })
    expect([named.status, named.body]).toMatchObject([200, { type: 'response', reply_to: id }])
    const again = await world.ask(`${url}/v1/books/by-header/messages`, storeTraceMessage)
    expect(again.body['content']).toEqual(named.body['content'])
  })
})
