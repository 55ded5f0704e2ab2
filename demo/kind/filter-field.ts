// The fields that a list can be filtered by, and what a value chosen for one asks of the book.
import type { Filters } from '../../src/index.ts'

/** What a list may ask for besides filters. */
export interface ListOptions {
  readonly include_expired?: true
  readonly include_superseded?: true
  /** A JSONPath into the data, and what must stand there. */
  readonly path?: string
  readonly value?: string | number | boolean | null
  /** A path, `-` before one for descending. */
  readonly order_by?: string
}

/** Free text that a path holds. In an address, `~` before the value means "contains". */
export interface TextField {
  readonly type: 'text'
  readonly name: string
  readonly path: string
  /** The path holds a list, one entry of which is the value. */
  readonly isList?: boolean
  /** The path holds a name with `/` between it and what it is below: a name stands for all below it, too. */
  readonly isPath?: boolean
  /** For what is asked otherwise than by a filter. */
  readonly ask?: {
    readonly hint: string
    options(value: string): ListOptions
  }
}

export interface Choice {
  readonly value: string
  readonly word: string
  readonly filters?: Filters
  /** What it asks for besides filters, such as records that are hidden otherwise. */
  readonly options?: ListOptions
}

export interface ChoiceField {
  readonly type: 'choice'
  readonly name: string
  readonly choices: readonly Choice[]
  /** Two of them say nothing together, as with orders. */
  readonly isOne?: boolean
}

/** A range of instants, `from..to` in an address; either side may be empty. */
export interface TimeField {
  readonly type: 'time'
  readonly name: string
  readonly path: string
}

export type FilterField = TextField | ChoiceField | TimeField
export type FilterFields = Readonly<Record<string, FilterField>>

export function timeRange(value: string): { from: string; to: string } {
  const [from = '', to = ''] = value.split('..')
  return { from, to }
}

/** The words of its choices by value; none for a field of another type. */
export const choiceWords = (field: FilterField | undefined): Readonly<Record<string, string>> =>
  field?.type === 'choice' ? Object.fromEntries(field.choices.map(({ value, word }) => [value, word])) : {}

export function choiceOf({ choices }: ChoiceField, value: string): Choice | undefined {
  return choices.find((choice) => choice.value === value)
}

/** The filter for one value of a field; undefined where the value narrows nothing. */
export function conditionOf(field: FilterField, value: string): Filters | undefined {
  if (field.type === 'choice') return choiceOf(field, value)?.filters
  if (field.type === 'time') {
    const { from, to } = timeRange(value)
    return { [field.path]: { ...(from ? { gte: from } : {}), ...(to ? { lt: to } : {}) } }
  }
  if (field.ask) return undefined
  if (field.isList) return { [field.path]: { contains: value } }
  // `0` follows `/`, so this is what begins with the name and a slash.
  if (field.isPath && !value.startsWith('~'))
    return { or: [{ [field.path]: value }, { [field.path]: { gte: `${value}/`, lt: `${value}0` } }] }
  return { [field.path]: value.startsWith('~') ? { contains: value.slice(1) } : value }
}

/** What one value of a field asks for besides filters. */
export function optionsFor(field: FilterField, value: string): ListOptions {
  if (field.type === 'choice') return choiceOf(field, value)?.options ?? {}
  return field.type === 'text' && field.ask ? field.ask.options(value) : {}
}

/** Two values of such a field say nothing together: the newer one takes the place of the other. */
export function isSingle(field: FilterField | undefined): boolean {
  if (field?.type === 'choice') return field.isOne === true
  return field?.type === 'time' || (field?.type === 'text' && field.ask !== undefined)
}

/** Can a field have this value? What an address says is not trusted. */
export function isSound(field: FilterField, value: string): boolean {
  if (value === '' || value === '~' || value.length > 1000) return false
  if (field.type === 'choice') return choiceOf(field, value) !== undefined
  if (field.type === 'text') return true
  const { from, to } = timeRange(value)
  const isInstant = (text: string) => text === '' || !Number.isNaN(Date.parse(text))
  return (from !== '' || to !== '') && isInstant(from) && isInstant(to)
}
