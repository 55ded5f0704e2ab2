// What an agent does to a book in an hour, from a seed: stores, edits, forgets, purges, and leaves it alone for a while.
import type { Engine } from '../../../../../src/engine/engine.ts'
import { makeTrace } from '../../../../support/trace.ts'
import { createDice } from '../../../../support/dice.ts'

/** Waits for the calls, which were made together, and notes what has been acknowledged by then. */
export type Acknowledge = (calls: readonly Promise<unknown>[]) => Promise<void>

interface Work {
  readonly engine: Engine
  readonly seed: number
  readonly calls: number
  readonly acknowledge: Acknowledge
  pass(): Promise<void>
}

export async function work({ engine, seed, calls, acknowledge, pass }: Work): Promise<void> {
  const dice = createDice(seed)
  const ids: string[] = []
  const store = async (i: number) => {
    const goal = `Step ${i}: ${'look at the evidence again, '.repeat(dice.below(40))}and say why`
    const trace = { ...makeTrace({ task: { goal, constraints: [] } }), result: undefined }
    const { id } = (await engine.call('kstar:store_trace', trace, { requestId: `${seed}-${i}` })) as {
      id: string
    }
    ids.push(id)
  }
  const take = () => ids.splice(dice.below(ids.length), 1)[0] ?? ''
  for (let i = 0; i < calls; i++) {
    const roll = dice.below(100)
    if (roll < 50 || ids.length < 5) await acknowledge([store(i)])
    else if (roll < 65) await acknowledge([0, 1, 2, 3].map((n) => store(i + n / 10)))
    else if (roll < 77) {
      const result = { success: true, outcome: { said: 'x'.repeat(dice.below(9000)) }, side_effects: [] }
      await acknowledge([engine.call('kstar:complete_trace', { id: take(), result })])
    } else if (roll < 86) await acknowledge([engine.call('kstar:forget', { id: take() })])
    else if (roll < 90) await acknowledge([engine.call('kstar:purge', { id: take() })])
    else await pass()
  }
}
