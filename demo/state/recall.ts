// The recall playground: the question of the address, asked of the book.
import { computed, effect, signal } from '@preact/signals'
import type { RecallResult } from '../../src/index.ts'
import { oneLine } from '../wording/text-word.ts'
import { address, go } from './address.ts'
import type { RecallOptions } from './recall-option.ts'
import { book } from './book.ts'
import { isOfRecall } from '../kind/view.ts'

export interface Answer {
  readonly question: string
  readonly result: RecallResult
  /** Milliseconds from the page's call to its answer. */
  readonly roundTripMs: number
}

export type Asking =
  | { readonly state: 'idle' }
  | { readonly state: 'asking' }
  | { readonly state: 'answered'; readonly answer: Answer }
  | { readonly state: 'failed'; readonly error: unknown }

export const asking = signal<Asking>({ state: 'idle' })
/** As `recall` has them when nothing is said. */
const usualLimit = 10
const unsaid: Readonly<Record<string, unknown>> = {
  limit: usualLimit,
  minScore: 0,
  diversity: 0,
  cut: 'none',
  exact: false,
}

export const recallLimit = computed(() => address.value.options.limit ?? usualLimit)
export const recallFloor = computed(() => address.value.options.minScore ?? 0)

/** What else a question may say, as `recall` takes it. */
export type RecallChoice = Omit<RecallOptions, 'limit' | 'minScore'>
export const recallChoice = computed((): RecallChoice => {
  const { limit: _limit, minScore: _floor, ...choice } = address.value.options
  return choice
})

/** Sets options of the question, in the address; what `recall` does anyhow is not said there. */
export function chooseRecall(
  options: Readonly<Record<string, unknown>>,
  how: 'push' | 'replace' = 'push',
): void {
  const all = Object.entries({ ...address.peek().options, ...options })
  const said = all.filter(([name, value]) => value !== undefined && value !== unsaid[name])
  go({ options: Object.fromEntries(said) }, how)
}

/** Takes away what is chosen beside the limit and the floor. */
export function clearChoice(): void {
  const { limit, minScore } = address.peek().options
  go({
    options: { ...(limit === undefined ? {} : { limit }), ...(minScore === undefined ? {} : { minScore }) },
  })
}

const optionNames = [
  'limit',
  'minScore',
  'kinds',
  'session',
  'agent',
  'at',
  'diversity',
  'cut',
  'exact',
] as const

/** Sets every option as it was in a question of then. */
export function chooseAsAsked(asked: Readonly<Record<string, unknown>>): void {
  chooseRecall(Object.fromEntries(optionNames.map((name) => [name, asked[name]])), 'replace')
}

/** The question of the address with its options, as `book.recall` takes it. */
export const recallInput = computed(() => ({
  text: address.value.question,
  limit: recallLimit.value,
  ...(recallFloor.value === 0 ? {} : { minScore: recallFloor.value }),
  ...recallChoice.value,
}))

/** An answer that was kept, for others to be compared with. */
export const kept = signal<Answer | undefined>(undefined)

let turn = 0

/** Asks the question of the address (again). */
export async function ask(): Promise<void> {
  const current = book.peek()
  const { question } = address.peek()
  const mine = ++turn
  if (!current || question.trim() === '') {
    asking.value = { state: 'idle' }
    return
  }
  if (asking.peek().state !== 'answered') asking.value = { state: 'asking' }
  const began = performance.now()
  let next: Asking
  try {
    const { kinds, ...asked } = recallInput.peek()
    const result = await current.recall({ ...asked, ...(kinds ? { kinds: [...kinds] } : {}) })
    next = { state: 'answered', answer: { question, result, roundTripMs: performance.now() - began } }
  } catch (error) {
    next = { state: 'failed', error }
  }
  if (mine === turn) asking.value = next
}

let asked: string | undefined
effect(() => {
  const { view } = address.value
  const key = JSON.stringify(recallInput.value)
  if (!book.value) {
    asked = undefined
    kept.value = undefined
    return
  }
  if (!isOfRecall(view) || key === asked) return
  asked = key
  void ask()
})

/** Goals of the newest traces, as questions to begin with. */
export const suggestions = signal<readonly string[]>([])

const suggested = 3

effect(() => {
  const current = book.value
  if (!isOfRecall(address.value.view) || !current) return
  current.traces
    .query({ limit: 10 })
    .then(({ records }) => {
      const goals = records.map(({ task }) => oneLine(task.goal, 90)).filter(Boolean)
      suggestions.value = [...new Set(goals)].slice(0, suggested)
    })
    // They are a courtesy; a book that cannot be read says so when it is asked.
    .catch(() => undefined)
})
