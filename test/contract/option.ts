// Options of calls on every host: what is misspelt is told with what was meant, and nothing is done.
import { describe, expect, it } from 'vitest'
import { makeTrace } from '../support/trace.ts'
import { type BookCase, failure } from './book-case.ts'

export function callOptionCases({ book: open }: BookCase): void {
  describe('the options of a call', () => {
    it.each([
      [{ requestID: 'r-1' }, 'options.requestID', 'requestId'],
      [{ puprose: 'grading' }, 'options.puprose', 'purpose'],
      [{ deadline_ms: 10 }, 'options.deadline_ms', 'deadlineMs'],
      [{ nothing_like_it: 1 }, 'options.nothing_like_it', undefined],
      [{ requestId: 7 }, 'options.requestId', undefined],
      [{ requestId: '' }, 'options.requestId', undefined],
      [{ as: '' }, 'options.as', undefined],
      [{ purpose: 'x'.repeat(201) }, 'options.purpose', undefined],
      [{ deadlineMs: Infinity }, 'options.deadlineMs', undefined],
      [{ deadlineMs: '10' }, 'options.deadlineMs', undefined],
      [{ signal: 'soon' }, 'options.signal', undefined],
      ['as', 'options', undefined],
      [null, 'options', undefined],
    ] as [unknown, string, string | undefined][])(
      '%j: are refused, and nothing is stored',
      async (options, path, meant) => {
        const book = await open()
        const calls = [
          book.traces.store(makeTrace(), options as never),
          book.call('kstar:store_trace', makeTrace(), options as never),
          book.export({}, options as never),
        ]
        for (const error of await Promise.all(calls.map((call) => failure(call as Promise<unknown>)))) {
          expect(error).toMatchObject({ code: 'invalid-input', details: { path } })
          expect(error.details['meant']).toBe(meant)
          if (meant !== undefined) expect(error.message).toContain(`Did you mean \`${meant}\`?`)
        }
        expect((await book.traces.count()).total).toBe(0)
      },
    )

    it('that are undefined count as not given', async () => {
      const book = await open()
      await book.traces.store(makeTrace(), { requestId: undefined, signal: undefined } as never)
      expect((await book.traces.count()).total).toBe(1)
    })

    it('of an import are those of the file that it is', async () => {
      const book = await open()
      const chat = JSON.stringify([{ role: 'user', content: 'Hello' }])
      const misspelt = await failure(book.import(chat, { dry_run: true } as never))
      expect(misspelt.details).toEqual({ path: 'options.dry_run', meant: 'dryRun' })
      // It would have been imported all the same.
      const chosen = await failure(book.import(chat, { kinds: ['trace'] }))
      expect(chosen).toMatchObject({ code: 'invalid-input', details: { path: 'options.kinds' } })
      expect(await book.import(chat, { dryRun: true })).toMatchObject({ imported: 1, dryRun: true })
      expect((await book.status()).records).toEqual({})
      expect(await book.import(chat, { name: 'chat.json' })).toMatchObject({ imported: 1 })
    })

    it('are no place to listen for what is never told', async () => {
      const book = await open()
      expect(() => book.on('chnage' as never, () => undefined)).toThrow(/Did you mean `change`\?/)
    })

    it.each([undefined, null, 5, {}])('are no listener that can not be called: %s', async (listener) => {
      const book = await open()
      const live = book.live({ method: 'stats' })
      const wrong: [listen: (listener: never) => unknown, path: string][] = [
        [(one) => book.on('change', one), 'listener'],
        [(one) => book.with({ agent: 'a' }).on('room', one), 'listener'],
        [(one) => book.room.onMessage(one), 'listener'],
        [(one) => live.subscribe(one), 'onChange'],
      ]
      for (const [listen, path] of wrong) {
        const error = await failure(Promise.resolve().then(() => listen(listener as never)))
        expect(error).toMatchObject({ code: 'invalid-input', details: { path } })
      }
    })

    it('are no observer whose methods can not be called', async () => {
      const book = await open()
      const observable = book.live({ method: 'stats' })['@@observable']()
      const observe = (one: unknown) =>
        failure(Promise.resolve().then(() => observable.subscribe(one as never)))
      expect(await observe(5)).toMatchObject({ code: 'invalid-input', details: { path: 'observer' } })
      expect(await observe({ next: 5 })).toMatchObject({ details: { path: 'observer.next' } })
    })
  })
}
