// The messages of the P3394 memory specification, and what is answered to those that are none.
import { describe, expect, it } from 'vitest'
import type { Daybook } from '../../../src/book/daybook.ts'
import { answerMessage } from '../../../src/doors/p3394/message.ts'
import { type BookCase, failure } from '../book-case.ts'
import { shaped } from './specification.ts'
import { storeTraceMessage } from './specification-data.ts'

export function messageCases({ book: open }: BookCase): void {
  describe('13 messages', () => {
    const at = (book: Daybook) => ({
      now: () => Date.parse('2026-01-31T15:00:01Z'),
      newId: () => 'msg-uuid-124',
      call: (id: string, input: unknown, requestId: string) =>
        book.call(id as never, input as never, { requestId }),
    })

    it('13.4 answers the message that stores a trace, and does it once', async () => {
      const book = await open()
      const answer = await answerMessage(storeTraceMessage, at(book))
      const data = { trace_id: expect.any(String) as string, stored_at: expect.any(String) as string }
      expect(answer).toEqual({
        id: 'msg-uuid-124',
        type: 'response',
        timestamp: '2026-01-31T15:00:01.000Z',
        reply_to: 'msg-uuid-123',
        source: { agent_id: 'kstar-memory' },
        destination: { agent_id: 'ieee3394-exemplar', session_id: 'sess-456' },
        content: [{ type: 'json', data }],
      })
      expect((await answerMessage(storeTraceMessage, at(book))).content).toEqual(answer.content)
      expect((await book.traces.query()).records).toMatchObject([storeTraceMessage.content[0]?.data])
    })

    it('13.3 takes an address, and a tool call, for the capability', async () => {
      const book = await open()
      const { content, ...head } = storeTraceMessage
      const byAddress = { ...head, id: 'a', destination: 'p3394://kstar-memory/store_trace', content }
      // Each address is answered in its form.
      expect(await answerMessage(byAddress, at(book))).toMatchObject({
        type: 'response',
        source: 'p3394://kstar-memory',
        destination: { agent_id: 'ieee3394-exemplar', session_id: 'sess-456' },
      })
      const call = { capability_id: 'kstar:store_trace', arguments: content[0]?.data }
      const byCall = {
        ...head,
        id: 'b',
        source: 'p3394://web/chat?session=s-1',
        destination: { agent_id: 'kstar-memory' },
        content: [{ type: 'tool_call', data: call }],
      }
      expect(await answerMessage(byCall, at(book))).toMatchObject({
        type: 'response',
        source: { agent_id: 'kstar-memory' },
        destination: 'p3394://web/chat?session=s-1',
      })
      expect((await book.traces.query()).records).toHaveLength(2)
    })

    it('answers what is no message, or asks for nothing there is, with an error, and stores nothing', async () => {
      const book = await open()
      const { content, destination, ...head } = storeTraceMessage
      const none = { ...destination, capability_id: 'kstar:none' }
      for (const [message, code, path] of [
        [undefined, 'invalid-input', ''],
        [{ ...storeTraceMessage, id: undefined }, 'invalid-input', 'id'],
        [{ ...storeTraceMessage, content: [] }, 'invalid-input', 'content'],
        [
          { ...head, destination: { agent_id: 'kstar-memory' }, content },
          'invalid-input',
          'destination.capability_id',
        ],
        [{ ...head, destination: 'http://kstar-memory', content }, 'invalid-input', 'destination'],
        [{ ...head, destination: none, content }, 'unknown-capability', 'capability'],
        [
          { ...storeTraceMessage, content: [{ type: 'json', data: { task: {} } }] },
          'invalid-input',
          'situation',
        ],
      ] as const) {
        const answer = await answerMessage(message, at(book))
        expect(answer).toMatchObject({ type: 'error', content: [{ data: { code, details: { path } } }] })
        const reply_to = message === undefined || message.id === undefined ? null : 'msg-uuid-123'
        expect(answer).toMatchObject({
          reply_to,
          destination:
            message === undefined ? null : { agent_id: 'ieee3394-exemplar', session_id: 'sess-456' },
        })
      }
      expect((await book.traces.query()).records).toEqual([])
    })

    it('lets a trace leave out what the specification does not ask for', async () => {
      const call = shaped(await open())
      await call('kstar:store_trace', { situation: {}, task: {}, action: {} })
      expect(await call('kstar:query_traces', {})).toMatchObject([
        { situation: { domain: 'general' }, task: { goal: '' }, action: { type: 'unspecified' } },
      ])
      expect(await failure(call('kstar:store_trace', { situation: {}, task: {} }))).toMatchObject({
        code: 'invalid-input',
        details: { path: 'action' },
      })
    })
  })
}
