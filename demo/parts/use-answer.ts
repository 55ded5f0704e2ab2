// What a part of the page asks the book for itself, beside what its record says. Old answers never overwrite new ones.
import { useEffect, useState } from 'preact/hooks'

export interface Answered<Value> {
  readonly value?: Value
  readonly error?: unknown
}

/** Asks anew whenever one of `inputs` changes; until the answer is there, there is neither value nor error. */
export function useAnswer<Value>(ask: () => Promise<Value>, inputs: readonly unknown[]): Answered<Value> {
  const [answer, setAnswer] = useState<Answered<Value>>({})
  useEffect(() => {
    let isOld = false
    ask().then(
      (value) => isOld || setAnswer({ value }),
      (error: unknown) => isOld || setAnswer({ error }),
    )
    return () => {
      isOld = true
    }
  }, inputs)
  return answer
}
