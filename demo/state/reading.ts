// Reads of the book for a view.
import type { Signal } from '@preact/signals'
import type { Daybook } from '../../src/index.ts'
import { book, openedBook } from './book.ts'

type Read = <Value>(ask: (from: Daybook) => Promise<Value>, take: (value: Value) => void) => Promise<void>

/**
 * Reads for one view, with errors in `failure`. Invariant: `take` gets only the answer of the newest read, and none from a
 * book that was closed, locked or opened again since.
 */
export function createReader(failure: Signal<unknown>): Read {
  let turn = 0
  return async (ask, take) => {
    const mine = ++turn
    let from: Daybook | undefined
    const isOld = () => mine !== turn || (from !== undefined && book.peek() !== from)
    try {
      from = await openedBook()
      const found = await ask(from)
      if (isOld()) return
      take(found)
      failure.value = undefined
    } catch (error) {
      if (!isOld()) failure.value = error
    }
  }
}

/** The fields that are not undefined. */
export const defined = <Fields extends object>(fields: Fields) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [Name in keyof Fields]?: Exclude<Fields[Name], undefined>
  }
