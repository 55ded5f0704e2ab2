// The error class of Daybook. Every failure is a `DaybookError` with a code of the closed table. `code`, `message`,
// `retry` and `details` cross Comlink, sockets, HTTP and MCP unchanged.
import { type ErrorCode, errorTable } from './error-table.ts'

export { type ErrorCode, type ErrorRow, errorTable } from './error-table.ts'

/** The four fields of an error on every wire. `retry`: true if the same call may succeed later. */
export interface ErrorShape {
  readonly code: ErrorCode
  readonly message: string
  readonly retry: boolean
  readonly details: Readonly<Record<string, unknown>>
}

/** Removes the recovery from the message of another error. The constructor appends it again. */
function withoutRecovery(message: string): string {
  const row = Object.values(errorTable).find(({ recovery }) => message.endsWith(` ${recovery}`))
  return row ? message.slice(0, -row.recovery.length - 1) : message
}

/** Appends a full stop unless the text already ends like a sentence. */
const sentence = (text: string) => (/[.!?:…]["'`’”)\]]*$/.test(text) ? text : `${text}.`)

/**
 * Marks errors of all entries of the package. Each entry has its own copy of this class, so `instanceof` checks this
 * symbol.
 */
const brand = Symbol.for('daybook.error')

/** Every error that Daybook throws. `message`: the failure, then the remedy. `details.path`: place of the fault. */
export class DaybookError extends Error implements ErrorShape {
  static override [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === 'object' && value !== null && brand in value
  }

  override readonly name = 'DaybookError'
  readonly [brand] = true
  readonly code: ErrorCode
  readonly retry: boolean
  readonly details: Readonly<Record<string, unknown>>

  constructor(
    code: ErrorCode,
    message?: string,
    options: { details?: Record<string, unknown>; cause?: unknown; retry?: boolean } = {},
  ) {
    const { meaning, recovery, retry } = errorTable[code]
    super(
      `${sentence(withoutRecovery(message ?? meaning))} ${recovery}`,
      options.cause === undefined ? undefined : { cause: options.cause },
    )
    this.code = code
    this.retry = options.retry ?? retry
    this.details = options.details ?? {}
  }

  /** Returns the four fields that cross a boundary. Cause and stack are not sent. */
  toJSON(): ErrorShape {
    return { code: this.code, message: this.message, retry: this.retry, details: this.details }
  }

  /** Restores an error from its four fields. An unknown code becomes `internal`. */
  static from(shape: ErrorShape): DaybookError {
    const isKnown = Object.hasOwn(errorTable, shape.code)
    const error = new DaybookError(isKnown ? shape.code : 'internal', '', {
      details: { ...shape.details },
      retry: shape.retry,
    })
    error.message = shape.message
    return error
  }
}

/** Creates `not-found`. `noun`: kind of object, such as `record`. `path`: where the input has the id. */
export function notFound(noun: string, id: string, path = 'id'): DaybookError {
  return new DaybookError('not-found', `There is no ${noun} \`${id}\`.`, { details: { path } })
}

/**
 * Says a fault of the value at `path`, or of the `whole` for an empty path: as one sentence if the message is a predicate,
 * such as `is not a scope` or `has an empty part`.
 */
export const faultText = (path: string, message: string, whole = 'The input'): string =>
  `${path === '' ? whole : `\`${path}\``}${/^[a-z]+s\b/.test(message) ? '' : ':'} ${message}`

/** Creates `invalid-input` for the value at `path`; empty: the whole input. `more`: its cause, and further details. */
export function invalidInput(
  path: string,
  message: string,
  { cause, ...more }: { readonly cause?: unknown; readonly [detail: string]: unknown } = {},
): DaybookError {
  return new DaybookError('invalid-input', faultText(path, message), { details: { path, ...more }, cause })
}

/** True for a `DaybookError`; with `code`, only for that code. */
export function isDaybookError<Code extends ErrorCode = ErrorCode>(
  error: unknown,
  code?: Code,
): error is DaybookError & { readonly code: Code } {
  return error instanceof DaybookError && (code === undefined || error.code === code)
}

/** True if the caller may no longer read, or the book is erased. Then remove all shown records. */
export function endsReading({ code }: Pick<ErrorShape, 'code'>): boolean {
  return ['unauthorized', 'forbidden', 'consent-required', 'book-erased'].includes(code)
}

/** Converts any thrown value to a `DaybookError`. Other errors become `internal`, with their message. */
export function toDaybookError(error: unknown): DaybookError {
  if (error instanceof DaybookError) return error
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  return new DaybookError('internal', message, { cause: error })
}
