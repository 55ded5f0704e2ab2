// Hooks for single parts of the page: an answer of the book, a submit, an abort signal, the width of an element.
import { type Signal, useSignal } from '@preact/signals'
import type { RefObject } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { readingTurn } from '../page/reading-turn.ts'

interface Answer<Value> {
  readonly value?: Value
  readonly error?: unknown
}

interface AnswerOfTurn<Value> extends Answer<Value> {
  readonly all: number
}

interface AnswerOptions {
  /** Asks again when records change. Default true. */
  readonly follows?: boolean
}

/**
 * Asks the book, and again when one of `inputs` changes. Before the answer there is neither value nor error. An old answer
 * never replaces a newer one, and locking the book removes it.
 */
export function useAnswer<Value>(
  ask: () => Promise<Value>,
  inputs: readonly unknown[],
  { follows = true }: AnswerOptions = {},
): Answer<Value> {
  const { all, some } = readingTurn.value
  const [answer, setAnswer] = useState<AnswerOfTurn<Value>>({ all })
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

interface Submit {
  /** The error of the last try. */
  readonly failure: unknown
  readonly isBusy: boolean
  /** Does nothing while the last one runs. */
  submit(): Promise<void>
}

/** Runs the work of a form, once at a time, and keeps its error. */
export function useSubmit(work: () => Promise<unknown>): Submit {
  const failure = useSignal<unknown>(undefined)
  const isBusy = useSignal(false)
  const submit = async () => {
    if (isBusy.peek()) return
    isBusy.value = true
    failure.value = undefined
    try {
      await work()
    } catch (error) {
      failure.value = error
    } finally {
      isBusy.value = false
    }
  }
  return { failure: failure.value, isBusy: isBusy.value, submit }
}

/** A signal that aborts when this part leaves the page. */
export function useUnmountSignal(): AbortSignal {
  const [controller] = useState(() => new AbortController())
  useEffect(() => () => controller.abort(), [])
  return controller.signal
}

/** The width of an element, which follows its layout. */
export function useWidth(): readonly [element: RefObject<HTMLDivElement | null>, width: Signal<number>] {
  const element = useRef<HTMLDivElement>(null)
  const width = useSignal(0)
  useEffect(() => {
    if (!element.current) return
    const observer = new ResizeObserver(([entry]) => (width.value = entry?.contentRect.width ?? 0))
    observer.observe(element.current)
    return () => observer.disconnect()
  }, [])
  return [element, width]
}
