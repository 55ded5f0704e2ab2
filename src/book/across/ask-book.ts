// Asks one of several books, and checks its answer.
// Invariant: the call ends by its deadline or signal also if the book's `recall` does not, and returns a whole answer.
import {
  type AbortSignalLike,
  checkAborted,
  createDeadline,
  neverAborted,
  orAborted,
} from '../../core/abort.ts'
import { DaybookError, invalidInput } from '../../core/errors.ts'
import { numberOption } from '../../core/option-check.ts'
import { longestTimerMs } from '../../core/time.ts'
import type { CapabilityInput, CapabilityOutput, Daybook } from '../daybook.ts'

type Answer = CapabilityOutput<'daybook:recall'>

/** The timers of every host. */
// oxlint-disable-next-line no-restricted-globals -- this entry has no host that passes timers
const { setTimeout, clearTimeout } = globalThis as unknown as {
  setTimeout(task: () => void, delayMs: number): unknown
  clearTimeout(timer: unknown): void
}
const later = (delayMs: number, task: () => void) => {
  const timer = setTimeout(task, delayMs)
  return () => clearTimeout(timer)
}

/** Throws `invalid-input` for a question that is no object, or a wrong deadline. The books check the rest. */
export function checkQuestion(query: unknown, deadlineMs: unknown): void {
  if (typeof query !== 'object' || query === null)
    throw invalidInput('query', 'Must be an object with the `text` of the question')
  if (deadlineMs !== undefined) numberOption(0, longestTimerMs)(deadlineMs, 'options.deadlineMs')
}

/**
 * `place`: of the book, for the error. Rejects with `aborted`, with `deadline-exceeded`, with the error of the book, or
 * with `invalid-input` if the answer is not one of `recall`.
 */
export async function askBook(
  { book, place }: { readonly book: Pick<Daybook, 'recall'>; readonly place: string },
  query: CapabilityInput<'daybook:recall'>,
  { signal = neverAborted, deadlineMs }: { signal?: AbortSignalLike; deadlineMs?: number | undefined },
): Promise<Answer> {
  checkAborted(signal)
  const deadline = deadlineMs === undefined ? undefined : createDeadline(signal, { later }, deadlineMs)
  const until = deadline?.signal ?? signal
  try {
    const answer: unknown = await orAborted(
      // Also a book that throws at once, or answers without a promise, has answered.
      (async () => book.recall(query, { signal, ...(deadlineMs === undefined ? {} : { deadlineMs }) }))(),
      until,
    )
    checkAnswer(answer, place)
    return answer
  } catch (error) {
    if (deadline?.isOver() !== true) throw error
    throw new DaybookError('deadline-exceeded', undefined, { details: { deadlineMs } })
  } finally {
    deadline?.end()
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null
const isCount = (value: unknown) => value === undefined || (typeof value === 'number' && value >= 0)
const isListOf = (value: unknown, isRight: (one: unknown) => boolean): boolean =>
  Array.isArray(value) && value.every(isRight)
const isText = (value: unknown) => typeof value === 'string'

const isHit = (hit: unknown) =>
  isObject(hit) &&
  Number.isFinite(hit['score']) &&
  isObject(hit['record']) &&
  isText(hit['record']['kind']) &&
  isObject(hit['because']) &&
  hasWords(hit['because']['text'])
/** `because.text`, as far as the scale reads it. */
const hasWords = (text: unknown) => text === undefined || (isObject(text) && isListOf(text['words'], isText))
const isWord = (one: unknown) =>
  isObject(one) && isText(one['word']) && one['records'] !== undefined && isCount(one['records'])

/** The fields that a joined answer is made of. */
const fields: Readonly<Record<string, (value: unknown) => boolean>> = {
  hits: (value) => isListOf(value, isHit),
  degraded: (value) => isListOf(value, isText),
  durationMs: (value) => value !== undefined && isCount(value),
  words: (value) => value === undefined || isListOf(value, isWord),
  indexed: isCount,
  sealed: isCount,
}

function checkAnswer(answer: unknown, place: string): asserts answer is Answer {
  const wrong = isObject(answer)
    ? Object.keys(fields).find((name) => fields[name]?.(answer[name]) !== true)
    : ''
  if (wrong === undefined) return
  const fault = wrong === '' ? 'its answer is no object' : `its field \`${wrong}\` is wrong`
  throw invalidInput(`${place}.recall`, `Must answer like \`recall\` of a book: ${fault}`)
}
