// Questions that a part of the page asks the book for itself, beside its record. Old answers never overwrite new ones, and none stays
// when the book was locked.
import { useEffect, useState } from 'preact/hooks'
import { readingTurn } from '../page/reading-turn.ts'

export interface Answered<Value> {
  readonly value?: Value
  readonly error?: unknown
}

interface Turned<Value> extends Answered<Value> {
  readonly all: number
}

interface AnswerOptions {
  /** Asks anew when records have changed. Default true. */
  readonly follows?: boolean
}

/** Asks anew whenever one of `inputs` changes; until the answer is there, there is neither value nor error. */
export function useAnswer<Value>(
  ask: () => Promise<Value>,
  inputs: readonly unknown[],
  { follows = true }: AnswerOptions = {},
): Answered<Value> {
  const { all, some } = readingTurn.value
  const [answer, setAnswer] = useState<Turned<Value>>({ all })
  useEffect(() => {
    let isOld = false
    ask().then(
      (value) => isOld || setAnswer({ value, all }),
      (error: unknown) => isOld || setAnswer({ error, all }),
    )
    return () => {
      isOld = true
    }
  }, [...inputs, all, follows ? some : 0])
  return answer.all === all ? answer : {}
}
