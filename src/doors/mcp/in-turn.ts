// One after the other: work that reads from a book and writes back what it read with a change. Invariant: what fails holds up
// nobody, and what is for another book waits for nothing.
const last = new WeakMap<object, Promise<unknown>>()

/** Does `work` once everything that was given for `book` before has ended. */
export function inTurn<Result>(book: object, work: () => Promise<Result>): Promise<Result> {
  const before = last.get(book) ?? Promise.resolve()
  const turn = before.then(work, work)
  last.set(
    book,
    turn.catch(() => undefined),
  )
  return turn
}
