// The closed table of everything that can fail, and the one error that carries it.
// The same four fields { code, message, retry, details } cross Comlink, sockets, HTTP and MCP unchanged.

/** One row of the error table: what the code means, what the caller can do, and its HTTP status. */
export interface ErrorRow {
  readonly meaning: string
  readonly recovery: string
  readonly status: number
  readonly retry: boolean
}

const row = (status: number, retry: boolean, meaning: string, recovery: string): ErrorRow => ({
  status,
  retry,
  meaning,
  recovery,
})

/** Every error code of Daybook. A code is never reused for another meaning. */
export const errorTable = {
  'invalid-input': row(
    400,
    false,
    'The input does not have the shape asked for.',
    'Correct the field at details.path.',
  ),
  'invalid-filter': row(
    400,
    false,
    'A filter, order or cursor is not understood.',
    'Correct the part at details.path.',
  ),
  'invalid-file': row(
    400,
    false,
    'A file to import is not what it claims to be.',
    'See details.file and details.path; nothing was imported.',
  ),
  'bundle-newer': row(
    400,
    false,
    'The bundle was written by a newer Daybook.',
    'Update Daybook; nothing was imported.',
  ),
  'wrong-passphrase': row(
    400,
    false,
    'It cannot be opened: another passphrase, or it was altered.',
    'Check the passphrase; nothing was changed.',
  ),
  locked: row(
    423,
    false,
    'It is sealed, and the key is not at hand.',
    'Unlock the book with its passphrase, or import the key from a device that has it; nothing was changed.',
  ),
  'cipher-off': row(
    409,
    false,
    'This host makes no keys from passphrases that are strong enough.',
    'Encrypt and decrypt on a device, where the passphrase belongs.',
  ),
  'unknown-capability': row(
    404,
    false,
    'There is no capability of that id.',
    'Read the manifest for the ids there are.',
  ),
  'unknown-route': row(
    404,
    false,
    'There is nothing at this address.',
    'GET /manifest names what can be called, and how.',
  ),
  'wrong-method': row(
    405,
    false,
    'This address does not answer that HTTP method.',
    'Use one of details.allow.',
  ),
  'not-found': row(404, false, 'There is no record of that id.', 'Check the id; it may have been forgotten.'),
  conflict: row(
    409,
    false,
    'The record is not in a state that allows this.',
    'Read the record again and decide.',
  ),
  'request-reused': row(
    409,
    false,
    'A requestId was used before for another call.',
    'Use a new requestId for each different call.',
  ),
  'too-large': row(
    413,
    false,
    'The input is larger than the limit.',
    'Send less at once; details.limitBytes or details.limitOps says how much.',
  ),
  unauthorized: row(401, false, 'No key, or one that is not known.', 'Send a valid key as a bearer token.'),
  forbidden: row(
    403,
    false,
    'The caller may not do this.',
    'Ask the owner of the book for a grant; over plain HTTP, ask again over HTTPS.',
  ),
  'rate-limited': row(429, true, 'Too many requests.', 'Wait details.retryAfterMs and try again.'),
  aborted: row(
    499,
    false,
    'The caller cancelled.',
    'Call again when wanted; nothing was changed unless said.',
  ),
  'deadline-exceeded': row(
    504,
    true,
    'No answer came in time.',
    'Call again with the same requestId; it takes effect once.',
  ),
  'book-closed': row(409, false, 'The book was closed.', 'Open it again.'),
  'open-elsewhere': row(423, true, 'Another process has this book open.', 'Close it there, or work there.'),
  'engine-died': row(
    500,
    true,
    'The engine of the book ended unexpectedly.',
    'Open the book again; what was acknowledged is kept.',
  ),
  'room-full': row(409, true, 'The meeting room is full.', 'Wait until somebody leaves.'),
  'owner-unresponsive': row(
    503,
    true,
    'The tab that holds the book does not answer.',
    'Show or close the other tabs of this site and call again, a write under details.requestId where there is one: it takes effect once.',
  ),
  'owner-changed': row(
    503,
    true,
    'The tab that held the book ended in the middle of this.',
    'See what was done, then run it again.',
  ),
  'tab-outdated': row(
    409,
    false,
    'Another tab runs a newer Daybook and has the book.',
    'Reload this page; nothing was lost.',
  ),
  'storage-unavailable': row(
    503,
    false,
    'No durable storage can be had here.',
    "Allow site data, or open with onUnavailable: 'memory'.",
  ),
  'storage-full': row(
    507,
    false,
    'The storage is full.',
    'Forget or export records, or free space; the book stays readable.',
  ),
  'storage-failed': row(
    500,
    true,
    'The storage reported an error.',
    'Open the book again; export it if this repeats.',
  ),
  'book-newer': row(
    409,
    false,
    'The book was written by a newer Daybook.',
    'Update Daybook; nothing was changed.',
  ),
  'sync-off': row(409, false, 'This book has no mirror to sync with.', 'Open it with sync: { url, key }.'),
  'signing-off': row(
    409,
    false,
    'No private key of this book is kept here, so nothing can be signed.',
    'Sign on a device of the owner and sync; the mirror only verifies.',
  ),
  offline: row(
    503,
    true,
    'The mirror cannot be reached.',
    'Nothing is lost; sync again when there is a connection.',
  ),
  'model-unavailable': row(
    503,
    true,
    'The language model gave no usable answer.',
    'Try again later, or without a model.',
  ),
  'embedder-off': row(
    503,
    false,
    'There is no embedder here.',
    'Configure one; full text answers without it.',
  ),
  'embedder-failed': row(
    502,
    true,
    'The embedder gave no vectors.',
    'Nothing is lost; it is asked again, and full text answers meanwhile.',
  ),
  'resync-required': row(
    409,
    true,
    'The mirror asks this device to start over.',
    'Sync again; unsent changes are kept.',
  ),
  'device-forked': row(
    409,
    false,
    'Two copies of this device exist.',
    'Sync again under a new device id; unsent changes are kept.',
  ),
  'client-too-old': row(
    426,
    false,
    'The mirror no longer speaks this version.',
    'Update Daybook on this device.',
  ),
  'server-too-old': row(426, false, 'The mirror does not speak this version yet.', 'Update the edge.'),
  'protocol-error': row(
    502,
    true,
    'The other side answered something that is not the protocol.',
    'Check the address of the mirror.',
  ),
  internal: row(500, false, 'Daybook itself failed.', 'Report it with details; nothing half done was kept.'),
} as const satisfies Record<string, ErrorRow>

export type ErrorCode = keyof typeof errorTable

/** What an error looks like on every wire. */
export interface ErrorShape {
  readonly code: ErrorCode
  readonly message: string
  readonly retry: boolean
  readonly details: Readonly<Record<string, unknown>>
}

/** The one error Daybook throws. `message` says what happened and what to do; `details.path` where. */
export class DaybookError extends Error implements ErrorShape {
  override readonly name = 'DaybookError'
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
      `${message ?? meaning} ${recovery}`,
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

/** True for a `DaybookError`, of the given code when one is named. */
export function isDaybookError(error: unknown, code?: ErrorCode): error is DaybookError {
  return error instanceof DaybookError && (code === undefined || error.code === code)
}

/** Turns anything thrown into a `DaybookError`; what is not ours becomes `internal` with its message. */
export function toDaybookError(error: unknown): DaybookError {
  if (error instanceof DaybookError) return error
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  return new DaybookError('internal', message, { cause: error })
}
