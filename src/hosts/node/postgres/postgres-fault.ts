// What goes wrong in PostgreSQL, in the words of the error table. The address of the database is in none of them.
import { DatabaseError } from 'pg'
import { DaybookError, isDaybookError } from '../../../core/errors.ts'

/** SQLSTATEs (PostgreSQL documentation, appendix A): no room left, and a lock that was not had in time. */
const full = new Set(['53100', '53200'])
const busy = new Set(['55P03', '40001', '40P01'])
/** Every foreign key is the book's: another process has erased it meanwhile. */
const bookless = '23503'

/** What the network says of a connection, and the driver of one that ended under it: it has no codes. */
const network = /^E(?:CONN|NOTFOUND|AI_AGAIN|PIPE|HOST|NET|TIMEDOUT)/
const driver =
  /^Connection terminated|^timeout exceeded when trying to connect|Client (?:was closed|has encountered)|not queryable/

/** SQLSTATEs of classes 57P and 08, and 53300: the server ends the connection, there is none, or there are too many. */
const ended = /^(?:57P0|08|53300)/

/** What TLS says of a certificate that it could not verify (`X509_V_ERR_…` of OpenSSL, and Node's for a wrong name). */
const certificate = /^(?:CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERR_TLS_CERT_|HOSTNAME_MISMATCH)/

/** True when the connection was at fault, not what was asked over it. */
export function isConnectionFault(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = 'code' in error ? String(error.code) : ''
  return network.test(code) || ended.test(code) || driver.test(error.message)
}

/** Runs `work`; whatever fails in it is a `DaybookError`, and may be tried again. */
export async function guarded<Result>(work: () => Promise<Result>): Promise<Result> {
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
      `The certificate of the database could not be verified (${code}). Name the certificate of the authority that signed it: \`databaseCa\`, or \`--database-ca\`. With \`sslmode=no-verify\` in its address it is not verified.`,
      { details: { path: 'database', code }, cause },
    )
  // Not from the database or the way to it: a fault of ours, which is to be seen as one.
  if (!(cause instanceof DatabaseError) && !isConnectionFault(cause)) return cause
  if (code === bookless) return new DaybookError('book-erased', undefined, { cause })
  if (full.has(code)) return new DaybookError('storage-full', undefined, { cause })
  if (busy.has(code)) {
    const details = { retryAfterMs: 1000 }
    return new DaybookError('rate-limited', 'Others are writing to this book just now.', { details, cause })
  }
  const details = { code: code || 'connection' }
  // The way to it, and nothing in it: whoever waits and asks again loses nothing.
  if (isConnectionFault(cause))
    return new DaybookError('offline', 'The database of the mirror does not answer.', { cause, details })
  return new DaybookError('storage-failed', `PostgreSQL could not do it (${details.code}).`, {
    cause,
    details,
  })
}
