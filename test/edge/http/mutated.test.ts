// Messages that were right and were changed, at the edge in workerd: each is answered in the one error shape or with what it
// asked for, and what is stored is what was answered with success.
import { describe, expect, it } from 'vitest'
import { type ErrorCode, errorTable } from '../../../src/core/errors.ts'
import { createDice } from '../../support/dice.ts'
import { damage, mutations } from '../../contract/door/mutation.ts'
import { call, newBook, run } from './http.ts'

const count = 1000
const seed = 20_261_123
const atOnce = 25
// So many come from one address that it would be sent away.
const env = { DAYBOOK_RATE: 'off' }

const fact = (n: number) => ({ schema: 'note', data: { text: `mutated ${n}` } })

const stored = async (book: string) =>
  (await run<{ total: number }>(book, 'kstar:count_memory', { kind: 'fact' })).total

/** Throws unless these are the four fields of an error, and none of Daybook's own faults. */
function expectErrorShape(error: unknown, status?: number): void {
  const { code, message, retry, details } = error as Record<string, unknown>
  const row = Object.hasOwn(errorTable, String(code)) ? errorTable[code as ErrorCode] : undefined
  const isSound =
    row !== undefined &&
    row.status < 500 &&
    (status === undefined || row.status === status) &&
    typeof message === 'string' &&
    typeof retry === 'boolean' &&
    typeof details === 'object'
  if (!isSound) throw new Error(`This is no error shape (${String(status)}): ${JSON.stringify(error)}`)
}

/** Sends what `texts` gives, some at once; `answer` says which record each stored, if any. */
async function sendAll(
  texts: Iterable<string>,
  answer: (text: string) => Promise<unknown>,
): Promise<ReadonlySet<unknown>> {
  const ids = new Set<unknown>()
  const lane = async (source: Iterator<string>) => {
    for (let next = source.next(); !next.done; next = source.next()) {
      const id = await answer(next.value)
      if (id !== undefined) ids.add(id)
    }
  }
  const source = texts[Symbol.iterator]()
  await Promise.all(Array.from({ length: atOnce }, () => lane(source)))
  return ids
}

function* damaged(right: (n: number) => unknown): Generator<string> {
  const dice = createDice(seed)
  for (const message of mutations(right, count, seed)) yield damage(JSON.stringify(message), dice)
}

describe('mutated messages at the edge', () => {
  it('as calls of a capability', async () => {
    const book = newBook()
    const right = (n: number) => ({ message_id: `m${n}`, source: 'p3394://tutor', content: fact(n) })
    const ids = await sendAll(damaged(right), async (text) => {
      const response = await call(`/v1/books/${book}/capabilities/kstar:store_fact`, {
        body: text,
        headers: { 'content-type': 'application/json' },
        env,
      })
      const body: unknown = await response.json()
      if (response.status === 200)
        return (body as { fact_id?: unknown; id?: unknown }).fact_id ?? (body as { id?: unknown }).id
      expectErrorShape(body, response.status)
      return undefined
    })
    expect(ids.size).toBeGreaterThan(count / 50)
    expect(ids.size).toBeLessThan(count / 2)
    expect(await stored(book)).toBe(ids.size)
  })

  it('as calls of a tool over MCP', async () => {
    const book = newBook()
    const right = (n: number) => ({
      jsonrpc: '2.0',
      id: n + 1,
      method: 'tools/call',
      params: { name: 'store_fact', arguments: fact(n) },
    })
    const ids = await sendAll(damaged(right), async (text) => {
      const response = await call(`/v1/books/${book}/mcp`, {
        body: text,
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': '2025-11-25',
        },
        env,
      })
      expect(response.status).toBeLessThan(500)
      const { result } = messageOf(await response.text())
      if (result?.isError !== true) return result?.structuredContent?.id
      expectErrorShape(result.structuredContent)
      return undefined
    })
    expect(ids.size).toBeGreaterThan(count / 50)
    expect(ids.size).toBeLessThan(count / 2)
    expect(await stored(book)).toBe(ids.size)
  })
})

interface Message {
  readonly result?: { readonly isError?: boolean; readonly structuredContent?: { readonly id?: unknown } }
}

/** The message of an answer, which is JSON or one event of a stream. */
function messageOf(text: string): Message {
  const data = /^data: (.*)$/m.exec(text)?.[1] ?? text
  return data.trim() === '' ? {} : (JSON.parse(data) as Message)
}
