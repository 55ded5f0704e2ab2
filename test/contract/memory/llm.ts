// The law of the port `Llm`, run on every implementation of it.
import { describe, expect, it } from 'vitest'
import type { Llm } from '../../../src/core/ports.ts'
import { failure } from '../book-case.ts'

/** What a model under test is made to do. */
export type ModelPlan = 'answer' | 'nothing' | 'fail' | 'hang' | 'flood'

export interface LlmHost {
  /** Opens a model that behaves as planned and gives up after `deadlineMs`. */
  open(plan: ModelPlan, deadlineMs: number): Promise<Llm>
}

export const plannedAnswer = 'Grüße, 東京 🙂'

export function llmContract(name: string, host: LlmHost): void {
  const question = { instruction: 'Repeat.', text: 'anything' }
  const never = new AbortController().signal

  describe(`Llm: ${name}`, () => {
    it('gives the whole answer', async () => {
      const llm = await host.open('answer', 5000)
      expect(await llm.answer(question, never)).toBe(plannedAnswer)
      expect(llm.name).toMatch(/^[a-z-]+\|./)
      expect(llm.limitChars).toBeGreaterThan(1000)
    })

    it.each(['nothing', 'fail', 'flood'] as const)(
      'throws model-unavailable when there is no answer: %s',
      async (plan) => {
        const llm = await host.open(plan, 5000)
        expect((await failure(llm.answer(question, never))).code).toBe('model-unavailable')
      },
    )

    it('gives up at its deadline', async () => {
      const llm = await host.open('hang', 50)
      expect((await failure(llm.answer(question, never))).code).toBe('model-unavailable')
    })

    it('is cancelled, before and in the middle', async () => {
      const llm = await host.open('hang', 30_000)
      expect((await failure(llm.answer(question, AbortSignal.abort()))).code).toBe('aborted')
      const abort = new AbortController()
      const answer = failure(llm.answer(question, abort.signal))
      abort.abort()
      expect((await answer).code).toBe('aborted')
    })
  })
}
