// The options of a question in the address bar: one parameter per option.
// Invariant: invalid options are left out, so that a shortened link still works.
import type { Filters } from '../../src/index.ts'

const prefix = 'recall.'

/** Options of a question, as `recall` takes them. */
export interface RecallOptions {
  readonly limit?: number
  readonly minScore?: number
  readonly kinds?: readonly string[]
  readonly session?: string
  readonly agent?: string
  readonly at?: string
  readonly filters?: Filters
  readonly diversity?: number
  readonly cut?: 'sharp'
  readonly exact?: true
}

type Reading = { readonly [Name in keyof RecallOptions]-?: (text: string) => RecallOptions[Name] }

const share = (text: string) => {
  const value = Number(text)
  return value > 0 && value <= 1 ? value : undefined
}

const mostHits = 200

/** Filters as they are typed: a JSON object; undefined for any other text. */
export function readFilters(text: string): Filters | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Filters)
      : undefined
  } catch {
    return undefined
  }
}

const readings: Reading = {
  limit: (text) =>
    /^\d{1,3}$/.test(text) && Number(text) > 0 && Number(text) <= mostHits ? Number(text) : undefined,
  minScore: share,
  kinds: (text) => text.split(','),
  session: (text) => text,
  agent: (text) => text,
  at: (text) => (Number.isNaN(Date.parse(text)) ? undefined : text),
  filters: readFilters,
  diversity: share,
  cut: (text) => (text === 'sharp' ? text : undefined),
  exact: (text) => (text === 'true' ? true : undefined),
}

/** Reads the options of an address. */
export function readRecallOptions(parameters: URLSearchParams): RecallOptions {
  const found = Object.entries(readings).flatMap(([name, read]): [string, unknown][] => {
    const text = parameters.get(`${prefix}${name}`)
    const value = text === null || text === '' ? undefined : read(text)
    return value === undefined ? [] : [[name, value]]
  })
  return Object.fromEntries(found)
}

export function writeRecallOptions(options: RecallOptions, parameters: URLSearchParams): void {
  for (const [name, value] of Object.entries(options)) {
    if (value !== undefined)
      parameters.set(`${prefix}${name}`, name === 'filters' ? JSON.stringify(value) : String(value))
  }
}

/** A question with its options. */
export interface Question {
  readonly question: string
  readonly options: RecallOptions
}

/** Reads the question that an answer is compared with. */
export function readBeside(text: string | null): Question | undefined {
  if (text === null) return undefined
  const parameters = new URLSearchParams(text)
  const question = parameters.get('ask') ?? ''
  return question === '' ? undefined : { question, options: readRecallOptions(parameters) }
}

export function writeBeside({ question, options }: Question): string {
  const parameters = new URLSearchParams({ ask: question })
  writeRecallOptions(options, parameters)
  return parameters.toString()
}
