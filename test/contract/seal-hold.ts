// What is sealed stays so whatever is imported, and under the guard that its owner gave it.
import { describe, expect, it } from 'vitest'
import type { Daybook } from '../../src/book/daybook.ts'
import type { DaybookError } from '../../src/core/errors.ts'
import { type BookCase, failure } from './book-case.ts'
import { passphrase } from './seal.ts'

/** Of every host that keeps keys. */
export function sealHoldCases(cases: BookCase): void {
  describe('what is sealed', () => {
    it('gets no passphrase by unlocking keys that have none', async () => {
      const first = await cases.book()
      await first.perceptions.store({ content: 'x', sensitivity: 'restricted' })
      const error = await failure(first.seal.unlock({ passphrase: 'a mistyped one' }))
      expect([error.code, error.message.includes('seal.guard')]).toEqual(['conflict', true])
      expect(await first.seal.status()).toMatchObject({ guard: 'device', state: 'open' })
      const book = await cases.reopen(first)
      expect(await book.seal.status()).toMatchObject({ guard: 'device', state: 'open' })
    })

    it.each(['merge', 'replace'] as const)(
      'stays sealed when a bundle of before comes in (%s), whatever its kind, and while it is locked',
      async (mode) => {
        const first = await cases.book()
        await first.seal.guard({ passphrase })
        await first.personas.register({ name: 'Ada', role: 'r' })
        const known = { perception: await first.perceptions.store({ content: 'teal word' }) }
        const made = [
          known.perception,
          await first.facts.store({ schema: 's', data: { x: 'teal word' } }),
          await first.traces.store({
            situation: { domain: 'k' },
            task: { goal: 'teal word' },
            action: { type: 'x' },
          }),
          await first.skills.store({ name: 'sk', definition: { procedure: 'teal word' } }),
          await first.thoughts.remember({ content: 'teal word', persona: 'Ada' }),
        ].map(({ id }) => id)
        const memory = await first.memories.store({ content: 'teal word', category: 'a2p:context' })
        const text = await new Response(await first.export({})).text()
        for (const id of made) await first.records.setSensitivity({ id, sensitivity: 'restricted' })
        await first.memories.reclassify({ id: memory.id, category: 'a2p:health', reason: 'it is' })
        const levels = async (book: Daybook) =>
          Promise.all(
            [...made, memory.id].map(
              async (id) => (await book.records.get({ id }))?.sensitivity ?? 'standard',
            ),
          )
        const before = await levels(first)
        expect(before.slice(0, made.length)).toEqual(made.map(() => 'restricted'))
        expect(['sensitive', 'restricted']).toContain(before.at(-1))
        await first.import(text, { mode })
        expect(await levels(first)).toEqual(before)
        expect(await first.seal.status()).toMatchObject({ sealed: 6 })
        const book = await cases.reopen(first)
        await book.import(text, { mode }).catch((error: DaybookError) => expect(error.code).toBe('locked'))
        expect(await book.seal.status()).toMatchObject({ sealed: 6, state: 'locked' })
        await book.seal.unlock({ passphrase })
        expect(await levels(book)).toEqual(before)
        await book.records.setSensitivity({ id: known.perception.id, sensitivity: 'standard' })
        expect((await levels(book))[0]).toBe('standard')
      },
    )
  })
}
