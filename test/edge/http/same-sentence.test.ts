// The doors of the edge; those of a process and of the command line are in test/node/doors.
import { describe } from 'vitest'
import { sameSentenceCases, type SentenceDoor } from '../../contract/door/same-sentence.ts'
import { call, newBook, run } from './http.ts'

/** A door to a new book at the edge; `receiptOf` reads the receipt off its answer. */
function post(
  path: string,
  bodyOf: (input: object) => object,
  receiptOf: (body: never) => unknown = (body) => body,
  isShaped = false,
): Promise<SentenceDoor> {
  const book = newBook()
  return Promise.resolve({
    async store(input) {
      const headers = { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-11-25' }
      const response = await call(`/v1/books/${book}/${path}`, { body: bodyOf(input), headers })
      const text = await response.text()
      return receiptOf(JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text) as never)
    },
    isShaped,
    facts: async () => (await run<{ records: unknown[] }>(book, 'kstar:query_facts', {})).records,
    [Symbol.asyncDispose]: () => Promise.resolve(),
  })
}

describe('the same sentence at the edge', () => {
  sameSentenceCases({
    HTTP: () => post('capabilities/kstar:store_fact', (input) => input),
    'HTTP, in the words of P3394': () =>
      post(
        'capabilities/store_fact',
        (input) => ({ message_id: 'm1', source: 'p3394://tutor', content: input }),
        undefined,
        true,
      ),
    'MCP over HTTP': () =>
      post(
        'mcp?tools=records',
        (input) => ({
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: { name: 'store_fact', arguments: input },
        }),
        ({ result }: { result: { structuredContent: unknown } }) => result.structuredContent,
      ),
  })
})
