// The recall playground: the book answers the question of the address.
import { computed, effect, signal } from '@preact/signals'
import type { CapabilityInput, Daybook, RecallResult } from '../../src/index.ts'
import { oneLine } from '../wording/text-word.ts'
import { address, go } from './address.ts'
import { type Question, type RecallOptions, writeBeside } from './recall-option.ts'
import { book, onBook } from './book.ts'
import { isOfRecall, placeOf } from '../kind/view.ts'
import { held, onEmptied } from './held.ts'
import { readUnsealed } from './record/record-read.ts'
import { withoutSecrets } from './record/secret.ts'

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

const recallViews = placeOf('recall').views

export const asking = held<Asking>({ state: 'idle' }, recallViews)
/** Defaults of `recall`; the limit is 10, and 40 for a whole answer. */
const defaults: Readonly<Record<string, unknown>> = {
  minScore: 0,
  diversity: 0,
  cut: 'none',
  exact: false,
}

/** Undefined: the default. */
export const recallLimit = computed(() => address.value.options.limit)
export const recallFloor = computed(() => address.value.options.minScore ?? 0)

/** Further options of a question, as `recall` takes them. */
export type RecallChoice = Omit<RecallOptions, 'limit' | 'minScore'>
export const recallChoice = computed((): RecallChoice => {
  const { limit: _limit, minScore: _floor, ...choice } = address.value.options
  return choice
})

/** Sets options of the question in the address; defaults are left out. */
export function chooseRecall(
  options: Readonly<Record<string, unknown>>,
  how: 'push' | 'replace' = 'push',
): void {
  const all = Object.entries({ ...address.peek().options, ...options })
  const set = all.filter(([name, value]) => value !== undefined && value !== defaults[name])
  go({ options: Object.fromEntries(set) }, how)
}

/** Clears all options but the limit and the floor. */
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
  'filters',
  'diversity',
  'cut',
  'exact',
] as const

/** Sets every option as in an earlier question. */
export function chooseOptions(options: Readonly<Record<string, unknown>>): void {
  chooseRecall(Object.fromEntries(optionNames.map((name) => [name, options[name]])), 'replace')
}

/** A question with its options, as `book.recall` takes it. */
function inputOf({ question, options: { kinds, ...options } }: Question) {
  return { text: question, ...(kinds ? { kinds: [...kinds] } : {}), ...options }
}

/** The question of the address, as `book.recall` takes it. */
export const recallInput = computed(() => inputOf(address.value))

/** The answer to the question `beside` of the address. Other answers are compared with it. */
export const compared = held<Answer | undefined>(undefined, recallViews)

/** Compares further answers with this one; undefined ends that. */
export function compareWith(answer: Answer | undefined): void {
  const { question, options } = address.peek()
  const beside = answer && { question, options }
  compared.value = answer
  comparedKey = beside && writeBeside(beside)
  go({ beside }, 'replace')
}
/** The question of `compared`, as text. */
let comparedKey: string | undefined

let turn = 0

/** The answer, with marks in place of the secrets of its hits. */
async function recallShown(current: Daybook, input: CapabilityInput<'daybook:recall'>) {
  const result = await current.recall(input)
  const records = await withoutSecrets(
    current,
    result.hits.map(({ record }) => record),
  )
  const hits = result.hits.map((hit, i) => ({ ...hit, record: records[i] ?? hit.record }))
  return { ...result, hits }
}

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
    const result = await recallShown(current, recallInput.peek())
    next = { state: 'answered', answer: { question, result, roundTripMs: performance.now() - began } }
  } catch (error) {
    next = { state: 'failed', error }
  }
  if (mine === turn) asking.value = next
}

let recalledKey: string | undefined
onEmptied(() => {
  turn += 1
  recalledKey = undefined
  comparedKey = undefined
}, recallViews)
effect(() => {
  const { view } = address.value
  const key = JSON.stringify(recallInput.value)
  if (!book.value) {
    recalledKey = undefined
    compared.value = undefined
    comparedKey = undefined
    return
  }
  if (!isOfRecall(view) || key === recalledKey) return
  recalledKey = key
  void ask()
})

/** Asks the question `beside` again after a reload, by a link, or back in history. */
async function askBeside(current: Daybook, beside: Question, key: string): Promise<void> {
  const began = performance.now()
  const result = await recallShown(current, inputOf(beside))
  const { question } = beside
  if (comparedKey === key && book.peek() === current)
    compared.value = { question, result, roundTripMs: performance.now() - began }
}

effect(() => {
  const { view, beside } = address.value
  const current = book.value
  const key = beside && writeBeside(beside)
  if (!current || !isOfRecall(view) || key === comparedKey) return
  comparedKey = key
  compared.value = undefined
  // A failed question compares with nothing; the main question shows the error.
  if (beside && key !== undefined) askBeside(current, beside, key).catch(() => undefined)
})

/** Goals of the newest traces, as questions to begin with. */
export const suggestions = held<readonly string[]>([], recallViews)

const suggested = 3

function suggest(): void {
  const current = book.peek()
  if (!current) return
  current.traces
    .query({ limit: 10 })
    .then(async ({ records: found }) => {
      const records = await withoutSecrets(current, found)
      const goals = records.map(({ task }) => oneLine(task.goal, 90)).filter(Boolean)
      if (book.peek() === current) suggestions.value = [...new Set(goals)].slice(0, suggested)
    })
    // Suggestions are optional; the recall itself shows the error of a book that cannot be read.
    .catch(() => undefined)
}

effect(() => {
  if (isOfRecall(address.value.view) && book.value) suggest()
})

/** Counts the answers that were replaced because a record in them is missing. */
export const recallTurn = signal(0)
/** The records of the context on show. */
export const packed: { ids: readonly string[] } = { ids: [] }

/** Asks again when a shown record is missing or sealed; other changes wait for the next recall. */
async function askAgainIfMissing(current: Daybook, ids: ReadonlySet<string> | undefined): Promise<void> {
  const now = asking.peek()
  const answers = [now.state === 'answered' ? now.answer : undefined, compared.peek()]
  const found = answers.flatMap((one) => one?.result.hits.map(({ record }) => record.id) ?? [])
  const shown = new Set([...found, ...packed.ids].filter((id) => ids?.has(id) ?? true))
  const read = await Promise.all([...shown].map((id) => readUnsealed(current, id)))
  if (book.peek() !== current || read.every((one) => one !== undefined && one !== 'sealed')) return
  asking.value = { state: 'idle' }
  compared.value = undefined
  recallTurn.value += 1
  const { beside } = address.peek()
  if (beside && comparedKey !== undefined) askBeside(current, beside, comparedKey).catch(() => undefined)
  await ask()
}

onBook('change', ({ ids, kinds, more }) => {
  const current = book.peek()
  if (!current || !isOfRecall(address.peek().view)) return
  if (kinds.includes('trace')) suggest()
  // A closed book says so itself.
  askAgainIfMissing(current, more > 0 ? undefined : new Set(ids)).catch(() => undefined)
})
