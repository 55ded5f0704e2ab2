// What is no record is refused with its path, and what is hostile but sound is kept as it is.
import { expect, it } from 'vitest'
import { makeTrace } from '../../support/trace.ts'
import { type BookCase, failure } from '../book-case.ts'

export function badInputCases({ book: open }: BookCase): void {
  const bad: [what: string, input: unknown, path: string][] = [
    ['no input', undefined, ''],
    ['a text', 'trace', ''],
    ['a missing part', { situation: { domain: 'd' }, task: { goal: 'g' } }, 'action'],
    ['an unknown field', { ...makeTrace(), tusk: {} }, 'tusk'],
    ['an unknown inner field', { ...makeTrace(), task: { goal: 'g', gaol: 'g' } }, 'task.gaol'],
    ['a wrong type', { ...makeTrace(), result: { success: 'yes' } }, 'result.success'],
    ['a wrong time', { ...makeTrace(), timestamp: 'yesterday' }, 'timestamp'],
    ['a wrong id', { ...makeTrace(), id: '../../etc' }, 'id'],
    ['a head that is not Unicode', { ...makeTrace(), session: 'x\ud800' }, 'session'],
    [
      '__proto__',
      JSON.parse('{"situation":{"domain":"d","context":{"__proto__":{"a":1}}}}'),
      'situation.context.__proto__',
    ],
    ['NaN', { ...makeTrace(), action: { type: 't', parameters: { n: Number.NaN } } }, 'action.parameters.n'],
    [
      'a date object',
      { ...makeTrace(), action: { type: 't', parameters: { at: new Date(0) } } },
      'action.parameters.at',
    ],
  ]
  it.each(bad)('refuses %s with the path, and stores nothing', async (_what, input, path) => {
    const book = await open()
    const error = await failure(book.call('kstar:store_trace', input as never))
    expect(error).toMatchObject({ code: 'invalid-input', details: { path }, retry: false })
    expect((await book.traces.count()).total).toBe(0)
  })

  it('suggests the field that a misspelt one may mean', async () => {
    const book = await open()
    const store = await failure(book.perceptions.store({ content: 'x', conten: 'y' } as never))
    expect(store).toMatchObject({ code: 'invalid-input', details: { path: 'conten', meant: 'content' } })
    expect(store.message).toBe(
      '`conten`: Unknown field. Did you mean `content`? Correct the field at details.path.',
    )
    const inner = await failure(
      book.traces.storeMany({ traces: [{ ...makeTrace(), task: { gaol: 'g' } }] } as never),
    )
    expect(inner.details['issues']).toContainEqual({
      path: 'traces.0.task.gaol',
      message: 'Unknown field. Did you mean `goal`?',
    })
    const exported = await failure(book.export({ bogus: 1 } as never))
    expect(exported).toMatchObject({ code: 'invalid-input', details: { path: 'bogus' } })
    expect(exported.message).toBe('`bogus`: Unknown field. Correct the field at details.path.')
  })

  it('refuses a value that can not be read, whatever it throws, and stores nothing', async () => {
    const book = await open()
    const data = {
      get inner(): never {
        throw new Error('no')
      },
    }
    const error = await failure(book.facts.store({ schema: 'note', data: data as never }))
    expect(error).toMatchObject({ code: 'invalid-input', retry: false })
    expect((await book.stats()).total).toBe(0)
  })

  it('refuses a record that no host could hold, and bottomless nesting', async () => {
    const book = await open()
    const huge = makeTrace({ action: { type: 't', parameters: { text: 'x'.repeat(5_000_000) } } })
    expect((await failure(book.traces.store(huge))).code).toBe('too-large')
    let deep: object = {}
    for (let i = 0; i < 200; i++) deep = { deep }
    const nested = makeTrace({ action: { type: 't', parameters: { deep } } })
    expect((await failure(book.traces.store(nested))).code).toBe('invalid-input')
    expect((await book.traces.count()).total).toBe(0)
  })

  it('keeps hostile text exactly as it is', async () => {
    const book = await open()
    const hostile = [
      '" OR 1=1 --',
      "'; DROP TABLE records; --",
      '\u0000\u0001',
      '\ud800 lone',
      '<script>',
      '𝔘🙂',
      'NEAR(a b)',
    ]
    const { id } = await book.traces.store(
      makeTrace({ task: { goal: hostile.join('|'), constraints: hostile } }),
    )
    expect((await book.traces.get({ id }))?.task).toEqual({ goal: hostile.join('|'), constraints: hostile })
    for (const text of [...hostile, '*', '"', 't0:x', 'a AND', '^a', '{t0}: b', '-', '(', 'a* + "']) {
      await book.traces.search({ query: text })
      await book.recall({ text })
    }
    expect((await book.traces.count()).total).toBe(1)
  })
}
