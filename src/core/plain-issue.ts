// Issues of zod in plain words.

/** An issue of a Standard Schema. */
export interface Issue {
  readonly message: string
  readonly path?: ReadonlyArray<PropertyKey | { readonly key: PropertyKey }> | undefined
  /** zod: `unrecognized_keys` for unknown fields of the object at `path`, with their names in `keys`. */
  readonly code?: string | undefined
  readonly keys?: readonly string[] | undefined
  /** zod: the issues of each variant of a union (`invalid_union`), their paths within the value at `path`. */
  readonly errors?: ReadonlyArray<ReadonlyArray<Issue>> | undefined
  /** zod: the type that the value is not (`invalid_type`). */
  readonly expected?: string | undefined
  /** zod: the only valid values (`invalid_value`). */
  readonly values?: readonly unknown[] | undefined
  /** zod: the only valid values of the field that says which variant of a union is meant. */
  readonly options?: readonly unknown[] | undefined
  /** zod: limits (`too_small`, `too_big`), of the size for the origins `string` and `array`. */
  readonly origin?: string | undefined
  readonly minimum?: number | bigint | undefined
  readonly maximum?: number | bigint | undefined
  readonly inclusive?: boolean | undefined
  readonly exact?: boolean | undefined
  /** zod: form of a text (`invalid_format`). */
  readonly format?: string | undefined
  readonly pattern?: string | undefined
  readonly divisor?: number | bigint | undefined
}

const typeWords: Readonly<Record<string, string>> = {
  string: 'a text',
  array: 'a list',
  tuple: 'a list',
  object: 'an object',
  record: 'an object',
  int: 'a whole number',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  never: 'left out',
}

export const typeWord = (type: string) => typeWords[type] ?? type
const quoted = (value: unknown) => (typeof value === 'string' ? `\`${value}\`` : String(value))
/** Joins words as in `a, b or c`. */
const either = (words: readonly string[]) =>
  [words.slice(0, -1).join(', '), words.at(-1)].filter(Boolean).join(' or ')

/** The value in an error: a number itself, but of a text only that it is one. */
function valueWord(value: unknown): string {
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return String(value)
  return typeWord(Array.isArray(value) ? 'array' : typeof value)
}

/** The types or the only values that an issue allows, in words; undefined for other issues. */
export const allowedBy = ({ values, options, expected }: Issue): readonly string[] | undefined =>
  (values ?? options)?.map(quoted) ?? (expected === undefined ? undefined : [typeWord(expected)])

/** Says that `value` must be one of `allowed`. */
export function notAllowed(allowed: readonly string[], value: unknown): string {
  if (value === undefined) return 'is missing'
  const words = [...new Set(allowed)]
  if (words.length === 0) return 'is not valid'
  // A value that is not one of some texts may be a text too.
  const found = words.some((word) => word.startsWith('`')) ? '' : `, not ${valueWord(value)}`
  return `Must be ${either(words)}${found}`
}

/** The message of an issue of `value`: that of its schema, or plain words in place of zod's own text. */
export function plainMessage(issue: Issue, value: unknown): string {
  const { code, message, origin = '', minimum, maximum, format, pattern, divisor } = issue
  if (code === undefined || !/^(?:Invalid|Too small|Too big)\b/.test(message)) return message
  if (code === 'too_small' || code === 'too_big') {
    const [near, over] = code === 'too_small' ? ['at least', 'more than'] : ['at most', 'less than']
    const amount = `${issue.exact ? 'exactly' : issue.inclusive ? near : over} ${minimum ?? maximum}`
    const unit = { string: 'character', array: 'item' }[origin]
    return unit ? `Must have ${amount} ${unit}${amount.endsWith(' 1') ? '' : 's'}` : `Must be ${amount}`
  }
  if (pattern !== undefined && format === 'regex') return `Must match ${pattern}`
  if (format !== undefined && code === 'invalid_format') return `is not valid ${format}`
  if (divisor !== undefined) return `Must be a multiple of ${divisor}`
  return notAllowed(allowedBy(issue) ?? [], value)
}

/** Returns the value at `path` in `value`; undefined without one. */
export const valueAt = (value: unknown, path: readonly string[]): unknown =>
  path.reduce((inner, part) => (inner as Readonly<Record<string, unknown>> | null | undefined)?.[part], value)
