// Calls and their answers, in whatever order a chat has them: no answer is lost, taken twice, or taken by another's call.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type ChatMessage, isAnswer, pairCalls } from '../../../src/bundle/importer/openai-chat.ts'

const id = fc.option(fc.constantFrom('x', 'y'), { nil: undefined })
const name = fc.constantFrom('one', 'two')
const message: fc.Arbitrary<ChatMessage> = fc.oneof(
  fc.record({ role: fc.constant('user') }),
  fc.record({
    role: fc.constant('assistant'),
    tool_calls: fc.array(fc.record({ id, function: fc.record({ name }) }), { maxLength: 3 }),
    function_call: fc.option(fc.record({ name }), { nil: undefined }),
  }),
  fc.record({
    role: fc.constantFrom('tool', 'function'),
    tool_call_id: id,
    name: fc.option(name, { nil: undefined }),
  }),
)

it('gives each answer to one call before it, by its id where it has one, or to none', () => {
  fc.assert(
    fc.property(fc.array(message, { maxLength: 12 }), (said) => {
      const { callsOf, strayAnswers } = pairCalls(said)
      const taken = said.flatMap((one, at) => callsOf(one).map((call) => ({ ...call, at })))
      const answers = taken.flatMap(({ answer }) => answer ?? [])
      expect(new Set([...answers, ...strayAnswers]).size).toBe(said.filter(isAnswer).length)
      expect(answers.length + strayAnswers.length).toBe(said.filter(isAnswer).length)
      for (const { answer, functionCall, at } of taken) {
        if (!answer) continue
        expect(said.indexOf(answer)).toBeGreaterThan(at)
        const asked = said[at]?.tool_calls?.some((one) => one.id === answer.tool_call_id)
        if (answer.tool_call_id !== undefined) expect(asked).toBe(true)
        else if (answer.name !== undefined) expect(functionCall.name).toBe(answer.name)
      }
    }),
    { numRuns: 2000 },
  )
})
