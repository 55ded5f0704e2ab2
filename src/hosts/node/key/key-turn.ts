// The turns in which files with keys are read and written.
// Invariant: work on one file in this process runs one after another, also for two books that are open at one path. A
// book keeps its lock until its work has ended: otherwise an old write could replace the keys that the next owner wrote.
import type { BookPath } from '../port/book-path.ts'

export const vaultSuffix = '.vault'
export const vaultKeySuffix = '.vault-key'
export const keySuffix = '.key'

/** The last work on each file with work in progress; it never rejects. */
const lastWork = new Map<string, Promise<unknown>>()

/** Runs `work` after all earlier `work` on `file`, also if the earlier failed. */
export function runInTurn<Result>(file: string, work: () => Promise<Result>): Promise<Result> {
  const result = (lastWork.get(file) ?? Promise.resolve()).then(work)
  const last: Promise<unknown> = result
    .catch(() => undefined)
    .finally(() => lastWork.get(file) === last && lastWork.delete(file))
  lastWork.set(file, last)
  return result
}

/**
 * Runs `end` when no key file of the book is read or written; at once if none is. If a link leads to the book, its keys
 * may be beside the link or beside the file.
 */
export async function afterKeyWork(
  { path, link = path }: BookPath,
  end: () => void | Promise<void>,
): Promise<void> {
  const places = [path, link]
  const files = places.flatMap((place) => [place + vaultSuffix, place + keySuffix])
  for (;;) {
    const pending = files.map((file) => lastWork.get(file)).find((work) => work !== undefined)
    if (!pending) return end()
    await pending
  }
}
