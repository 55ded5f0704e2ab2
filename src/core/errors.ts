// The error class of Daybook: every failure is a `DaybookError` with a code of the closed table. Its fields `code`,
// `message`, `retry` and `details` cross Comlink, sockets, HTTP and MCP unchanged.
import { type ErrorCode, errorTable } from './error-table.ts'

export { type ErrorCode, type ErrorRow, errorTable } from './error-table.ts'

/** The four fields of an error on every wire. */
export interface ErrorShape {
  readonly code: ErrorCode
  readonly message: string
  readonly retry: boolean
  readonly details: Readonly<Record<string, unknown>>
}

/** The message of another error without its recovery, which is added again. */
function withoutRecovery(message: string): string {
  const row = Object.values(errorTable).find(({ recovery }) => message.endsWith(` ${recovery}`))
  return row ? message.slice(0, -row.recovery.length - 1) : message
}

/** Ends a text with a full stop, unless it is a sentence already. */
const sentence = (text: string) => (/[.!?:…]["'`’”)\]]*$/.test(text) ? text : `${text}.`)

/**
 * Identifies errors across module graphs: the package's entries are bundled separately, and each accepts the errors of
 * the others.
 */
const brand = Symbol.for('daybook.error')

/** Every error that Daybook throws. `message` says what happened, then what to do; `details.path` says where. */
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

  /** The four fields that cross a boundary. Cause and stack stay here. */
  toJSON(): ErrorShape {
    return { code: this.code, message: this.message, retry: this.retry, details: this.details }
  }

  /** Restores an error from its four fields on the other side of a boundary. */
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

/** Creates the error for a missing `noun`, `record` for one, whose id is at `path` of the input. */
export function notFound(noun: string, id: string, path = 'id'): DaybookError {
  return new DaybookError('not-found', `There is no ${noun} \`${id}\`.`, { details: { path } })
}

/** True for a `DaybookError`, with this code if one is given. */
export function isDaybookError(error: unknown, code?: ErrorCode): error is DaybookError {
  return error instanceof DaybookError && (code === undefined || error.code === code)
}

/** True if the reader has lost the right to read, or the book is erased: remove everything that it showed. */
export function endsReading({ code }: Pick<ErrorShape, 'code'>): boolean {
  return ['unauthorized', 'forbidden', 'consent-required', 'book-erased'].includes(code)
}

/** Turns any thrown value into a `DaybookError`. Foreign errors become `internal` with their message. */
export function toDaybookError(error: unknown): DaybookError {
  if (error instanceof DaybookError) return error
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  return new DaybookError('internal', message, { cause: error })
}
