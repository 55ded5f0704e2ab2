// Translates PostgreSQL errors to codes of the error table. None contains the address of the database.
import { DatabaseError } from 'pg'
import { DaybookError, isDaybookError } from '../../../core/errors.ts'

/**
 * SQLSTATEs (PostgreSQL documentation, appendix A): no disk space or memory left; a lock that was not granted in time,
 * or a conflict of transactions.
 */
const full = new Set(['53100', '53200'])
const busy = new Set(['55P03', '40001', '40P01'])
/** Foreign key violation: every foreign key points to the book, so another process has erased it. */
const foreignKeyViolation = '23503'

/** Error codes of the network, and messages of the driver, which has no codes. */
const network = /^E(?:CONN|NOTFOUND|AI_AGAIN|PIPE|HOST|NET|TIMEDOUT)/
const driver =
  /^Connection terminated|^timeout exceeded when trying to connect|Client (?:was closed|has encountered)|not queryable/

/** SQLSTATEs of classes 57P and 08, and 53300: the server ended or refused the connection. */
const ended = /^(?:57P0|08|53300)/

/** TLS errors of an unverified certificate (`X509_V_ERR_…` of OpenSSL, and Node's for a wrong name). */
const certificate = /^(?:CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERR_TLS_CERT_|HOSTNAME_MISMATCH)/

/** Whether the connection failed, not the statement. */
export function isConnectionFault(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = 'code' in error ? String(error.code) : ''
  return network.test(code) || ended.test(code) || driver.test(error.message)
}

/** Runs `work`; its database errors become `DaybookError`s. */
export async function withPostgresFaults<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (cause) {
    throw toPostgresFault(cause)
  }
}

function toPostgresFault(cause: unknown): unknown {
  if (isDaybookError(cause) || !(cause instanceof Error)) return cause
  const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : ''
  if (certificate.test(code))
    return new DaybookError(
      'invalid-input',
      `The certificate of the database could not be verified (${code}). Give its CA certificate as \`databaseCa\` or \`--database-ca\`, or add \`sslmode=no-verify\` to the address.`,
      { details: { path: 'database', code }, cause },
    )
  // An error of ours, not of the database: don't hide it.
  if (!(cause instanceof DatabaseError) && !isConnectionFault(cause)) return cause
  if (code === foreignKeyViolation) return new DaybookError('book-erased', undefined, { cause })
  if (full.has(code)) return new DaybookError('storage-full', undefined, { cause })
  if (busy.has(code)) {
    const details = { retryAfterMs: 1000 }
    return new DaybookError('rate-limited', 'Other processes are writing to this book: try again.', {
      details,
      cause,
    })
  }
  const details = { code: code || 'connection' }
  // Only the connection failed: a retry loses nothing.
  if (isConnectionFault(cause))
    return new DaybookError('offline', 'The database of the mirror does not answer.', { cause, details })
  return new DaybookError('storage-failed', `PostgreSQL failed (${details.code}).`, {
    cause,
    details,
  })
}
