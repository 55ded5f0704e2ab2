// The fields to filter a list by, and the query that a chosen value makes.
import type { Filters } from '../../src/index.ts'

/** Query options besides filters. */
export interface ListOptions {
  readonly includeExpired?: true
  readonly includeSuperseded?: true
  /** A JSONPath into the data, and the value there. */
  readonly path?: string
  readonly value?: string | number | boolean | null
  /** A path, `-` before one for descending. */
  readonly orderBy?: string
}

/** A text field. In an address, `~` before the value means "contains". */
export interface TextField {
  readonly type: 'text'
  readonly name: string
  readonly path: string
  /** The field is a list that contains the value. */
  readonly isList?: boolean
  /** The field is a path of names with `/`: a name includes all names below it. */
  readonly isPath?: boolean
  /** For a query option instead of a filter. */
  readonly ask?: {
    readonly hint: string
    options(value: string): ListOptions
  }
}

export interface Choice {
  readonly value: string
  readonly word: string
  readonly filters?: Filters
  /** Query options of the choice, such as hidden records. */
  readonly options?: ListOptions
}

export interface ChoiceField {
  readonly type: 'choice'
  readonly name: string
  readonly choices: readonly Choice[]
  /** Only one value at a time, as with orders. */
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

/** The words of the choices, by value; empty for another type of field. */
export const choiceWords = (field: FilterField | undefined): Readonly<Record<string, string>> =>
  field?.type === 'choice' ? Object.fromEntries(field.choices.map(({ value, word }) => [value, word])) : {}

export function choiceOf({ choices }: ChoiceField, value: string): Choice | undefined {
  return choices.find((choice) => choice.value === value)
}

/** The filter for a value; undefined for a value without a filter. */
export function conditionOf(field: FilterField, value: string): Filters | undefined {
  if (field.type === 'choice') return choiceOf(field, value)?.filters
  if (field.type === 'time') {
    const { from, to } = timeRange(value)
    return { [field.path]: { ...(from ? { gte: from } : {}), ...(to ? { lt: to } : {}) } }
  }
  if (field.ask) return undefined
  if (field.isList) return { [field.path]: { contains: value } }
  // `0` follows `/`, so the range has everything that begins with the name and a slash.
  if (field.isPath && !value.startsWith('~'))
    return { or: [{ [field.path]: value }, { [field.path]: { gte: `${value}/`, lt: `${value}0` } }] }
  return { [field.path]: value.startsWith('~') ? { contains: value.slice(1) } : value }
}

/** The query options of a value. */
export function optionsFor(field: FilterField, value: string): ListOptions {
  if (field.type === 'choice') return choiceOf(field, value)?.options ?? {}
  return field.type === 'text' && field.ask ? field.ask.options(value) : {}
}

/** True for a field with one value at a time: a new value replaces the old one. */
export function isSingle(field: FilterField | undefined): boolean {
  if (field?.type === 'choice') return field.isOne === true
  return field?.type === 'time' || (field?.type === 'text' && field.ask !== undefined)
}

/** True if a field can have this value: an address may have any text. */
export function isSound(field: FilterField, value: string): boolean {
  if (value === '' || value === '~' || value.length > 1000) return false
  if (field.type === 'choice') return choiceOf(field, value) !== undefined
  if (field.type === 'text') return true
  const { from, to } = timeRange(value)
  const isInstant = (text: string) => text === '' || !Number.isNaN(Date.parse(text))
  return (from !== '' || to !== '') && isInstant(from) && isInstant(to)
}

/** Orders of every list. An order is a choice like a filter, so the address, the chips and the keys have it too. */
const always: readonly Choice[] = [
  order('changed', 'changed last first', '-updated_at'),
  order('stored', 'stored last first', '-created_at'),
  order('agent', 'by agent', 'agent'),
]

/** `timePath`: the path of a record's time, the default order of the list. */
export function orderField(timePath: string | undefined, ...more: readonly Choice[]): ChoiceField {
  const oldest = timePath === undefined ? [] : [order('oldest', 'oldest first', timePath)]
  return { type: 'choice', name: 'Order', isOne: true, choices: [...oldest, ...more, ...always] }
}

export function order(value: string, word: string, path: string): Choice {
  return { value, word, options: { orderBy: path } }
}
