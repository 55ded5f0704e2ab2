// The one error that everything that fails is, with a code of the closed table.
// The same four fields { code, message, retry, details } cross Comlink, sockets, HTTP and MCP unchanged.
import { type ErrorCode, errorTable } from './error-table.ts'

export { type ErrorCode, type ErrorRow, errorTable } from './error-table.ts'

/** What an error looks like on every wire. */
export interface ErrorShape {
  readonly code: ErrorCode
  readonly message: string
  readonly retry: boolean
  readonly details: Readonly<Record<string, unknown>>
}

/** The message of another error without its recovery, which would be said twice. */
function withoutRecovery(message: string): string {
  const row = Object.values(errorTable).find(({ recovery }) => message.endsWith(` ${recovery}`))
  return row ? message.slice(0, -row.recovery.length - 1) : message
}

/** Ended, so that another sentence can follow. */
const sentence = (text: string) => (/[.!?:…]["'`’”)\]]*$/.test(text) ? text : `${text}.`)

/** The same in every module graph: the entries of the package are bundled apart, and an error of one is an error of all. */
const brand = Symbol.for('daybook.error')

/** The one error Daybook throws. `message` says what happened and what to do; `details.path` where. */
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

  /** The four fields that cross a boundary. The cause and the stack stay home. */
  toJSON(): ErrorShape {
    return { code: this.code, message: this.message, retry: this.retry, details: this.details }
  }

  /** Rebuilds an error from its four fields, as the far side of a boundary does. */
  static from(shape: ErrorShape): DaybookError {
    const known = Object.hasOwn(errorTable, shape.code)
    const error = new DaybookError(known ? shape.code : 'internal', '', {
      details: { ...shape.details },
      retry: shape.retry,
    })
    error.message = shape.message
    return error
  }
}

/** The error for a missing `what`, `record` for one, whose id is at `path` of the input. */
export function notFound(what: string, id: string, path = 'id'): DaybookError {
  return new DaybookError('not-found', `There is no ${what} \`${id}\`.`, { details: { path } })
}

/** True for a `DaybookError`, of the given code when one is named. */
export function isDaybookError(error: unknown, code?: ErrorCode): error is DaybookError {
  return error instanceof DaybookError && (code === undefined || error.code === code)
}

/** True where the right to read has ended, or the book is erased: nothing that was read may stay on show. */
export function endsReading({ code }: Pick<ErrorShape, 'code'>): boolean {
  return ['unauthorized', 'forbidden', 'consent-required', 'book-erased'].includes(code)
}

/** Turns anything thrown into a `DaybookError`; what is not ours becomes `internal` with its message. */
export function toDaybookError(error: unknown): DaybookError {
  if (error instanceof DaybookError) return error
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  return new DaybookError('internal', message, { cause: error })
}
