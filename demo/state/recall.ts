// The recall playground: the question of the address, asked of the book.
import { computed, effect, signal } from '@preact/signals'
import type { RecallResult } from '../../src/index.ts'
import { oneLine } from '../wording/text-word.ts'
import { address } from './address.ts'
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
export const recallLimit = signal(10)
export const recallFloor = signal(0)

/** What else a question may say, as `recall` takes it. */
export interface RecallChoice {
  readonly kinds?: readonly string[]
  readonly session?: string
  readonly agent?: string
  readonly at?: string
  readonly diversity?: number
  readonly cut?: 'sharp'
  readonly exact?: true
}
export const recallChoice = signal<RecallChoice>({})

const choiceNames = ['kinds', 'session', 'agent', 'at', 'diversity', 'cut', 'exact'] as const
/** Options as `recall` has them when nothing is said. */
const unsaid: Readonly<Record<string, unknown>> = { diversity: 0, cut: 'none', exact: false }

/** Sets every option as it was in a question of then. */
export function chooseAsAsked(asked: Readonly<Record<string, unknown>>): void {
  const said = choiceNames.filter((name) => asked[name] !== undefined && asked[name] !== unsaid[name])
  recallLimit.value = Number(asked['limit'] ?? 10)
  recallFloor.value = Number(asked['minScore'] ?? 0)
  recallChoice.value = Object.fromEntries(said.map((name) => [name, asked[name]]))
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
