// In whose name a call is made, whichever method of a book makes it: `as` is dropped by none of them.
import { describe, expect, it } from 'vitest'
import { capabilityTable } from '../../../src/engine/capability-table.ts'
import type { BookMembers, Daybook } from '../../../src/book/daybook.ts'
import { makeTrace } from '../../support/trace.ts'
import { answerOf, type BookCase, failure } from '../book-case.ts'
import { exported } from '../bundle.ts'
import { handleCases } from './handle.ts'
import { tokenReachCases } from './token-reach.ts'

const later = '2099-01-01T00:00:00.000Z'
const chat = JSON.stringify([{ role: 'user', content: 'My name is Mallory' }])
type As = { readonly as: string }

/** Calls that a member makes, or why it makes none. */
type Member = ((book: Daybook, as: As, bundle: string) => Promise<unknown>[]) | 'tells' | 'ends'

/** What a book has beside its verbs. One that is added there is missing here, and this does not compile. */
const members: { readonly [Name in keyof Omit<BookMembers, 'room'>]: Member } & {
  readonly room: { readonly [Name in keyof BookMembers['room']]: Member }
} = {
  call: (book, as) => [book.call('kstar:query_traces', {}, as), book.call('some:other_verb', {}, as)],
  export: (book, as) => [book.export({}, as)],
  import: (book, as, bundle) => [book.import(chat, as), book.import(bundle, as)],
  verify: (book, as, bundle) => [book.verify(bundle, as)],
  with: (book, as) => [book.with(as).traces.query({}), book.with(as).export()],
  live: (book, as) => [answerOf(book.with(as).live({ method: 'traces.query' }))],
  tools: (book, as) => [book.tools({ format: 'openai', ...as }), book.with(as).tools({ format: 'openai' })],
  offerTools: (book, as) => [book.offerTools(as), book.with(as).offerTools()],
  on: 'tells',
  room: { onMessage: 'tells' },
  close: 'ends',
  [Symbol.asyncDispose]: 'ends',
}

type Verb = (input: object, options: As) => Promise<unknown>

/** Every function that hangs on a book, by its path. */
function functionsOf(place: object, prefix = ''): [path: string, run: Verb][] {
  return Object.entries(place).flatMap(([name, value]: [string, unknown]) => {
    const path = `${prefix}${name}`
    // `recall` is a verb, and has another one below it.
    if (typeof value === 'function') return [[path, value as Verb], ...functionsOf(value, `${path}.`)]
    return typeof value === 'object' && value !== null ? functionsOf(value, `${path}.`) : []
  })
}

/** Calls everything that a book offers with a token that stands for nothing any more; none of it is done. */
export async function expectRefused(book: Daybook, as: As, bundle: string): Promise<void> {
  const { room, ...others } = members
  const beside = new Map([
    ...Object.entries(others),
    ...Object.entries(room).map(([name, one]) => [`room.${name}`, one] as const),
  ])
  const walked = functionsOf(book)
  const methods = new Set<string>(capabilityTable.flatMap((one) => [...one.methods]))
  expect(walked.map(([path]) => path).toSorted()).toEqual([...methods, ...beside.keys()].toSorted())
  for (const [path, run] of walked) {
    const member = beside.get(path)
    const calls =
      member === undefined ? [run({}, as)] : typeof member === 'string' ? [] : member(book, as, bundle)
    const codes = await Promise.all(calls.map(async (one) => (await failure(one)).code))
    expect([path, ...codes]).toEqual([path, ...calls.map(() => 'unauthorized')])
  }
}

export function callerCases(cases: BookCase): void {
  const { book: open } = cases
  handleCases(cases)
  tokenReachCases(cases)

  const grant = async (book: Daybook, permissions: string[], scope = '**') => {
    const asked = { scope, permissions, granted_to: 'grader', expires_at: later }
    return (await book.tokens.grant(asked)).token.token_id
  }

  describe('a call with `as`', () => {
    it('is refused with a revoked token by every method there is', async () => {
      const book = await open()
      await book.traces.store(makeTrace())
      const bundle = await exported(book)
      const token_id = await grant(book, ['**'])
      await book.tokens.revoke({ token_id, reason: 'over' })
      const { kinds } = await book.stats()
      await expectRefused(book, { as: token_id }, bundle)
      expect((await book.stats()).kinds).toEqual(kinds)
    })

    it('imports nothing, and verifies nothing, whatever a token permits', async () => {
      const book = await open()
      await book.traces.store(makeTrace({ id: 'known' }))
      const bundle = await exported(book)
      await book.traces.forget({ id: 'known' })
      const before = await book.stats()
      for (const as of [await grant(book, ['**']), await grant(book, ['**'], 'trace:**')]) {
        const calls = [
          book.import(chat, { as }),
          book.import(bundle, { as, mode: 'replace' }),
          book.verify(bundle, { as }),
        ]
        const codes = await Promise.all(calls.map(async (one) => (await failure(one)).code))
        expect(codes).toEqual(calls.map(() => 'forbidden'))
      }
      const { kinds } = await book.stats()
      expect({ ...kinds, token: undefined, key: undefined }).toEqual({
        ...before.kinds,
        token: undefined,
        key: undefined,
      })
    })

    it('exports what the token reaches and no more', async () => {
      const book = await open()
      await book.traces.storeMany({
        traces: [makeTrace({ id: 'in', resource: 'course:CS101' }), makeTrace({ id: 'out' })],
      })
      const as = await grant(book, ['export'], 'course:CS101')
      const text = await new Response(await book.export({}, { as })).text()
      expect(JSON.parse(text)).toMatchObject({
        statistics: { trace_count: 1 },
        memory: { traces: [{ id: 'in' }] },
      })
      expect((await failure(book.export({}, { as: await grant(book, ['read']) }))).code).toBe('forbidden')
    })
  })
}
