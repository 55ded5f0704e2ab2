// Errors of a table of `meaning` that its server does not give. Each says which address, and what to do.
import { DaybookError } from '../../../core/errors.ts'

/** `missing`: the remedy if the server has no such file. */
export function tableStatusError(
  url: string,
  status: number,
  missing = 'Check `embedder.url`.',
): DaybookError {
  const text =
    status === 404 || status === 410
      ? `The file of its table is not at ${url} (status ${status}). ${missing}`
      : status === 401 || status === 403
        ? `The server refuses the file of its table, ${url} (status ${status}). Allow everyone to read it.`
        : `The server gave no file of its table for ${url}: it answered with status ${status}. Read the log of the server.`
  return new DaybookError('embedder-failed', text, { details: { url, tableStatus: status } })
}

/** A request that did not reach its server. */
export interface UnreachedTable {
  readonly url: string
  /** Origin of the page. */
  readonly origin: string
  /** False: the browser has no connection. */
  readonly isOnline: boolean
}

/** Why a table can't come now, in a sentence for a person. A browser does not say more of a request that failed. */
export function unreachedText({ url, origin, isOnline }: UnreachedTable): string {
  if (!isOnline)
    return 'Its table could not be fetched yet: there is no connection. It is tried again by itself.'
  const isOther = url !== origin && !url.startsWith(`${origin}/`)
  const cors = isOther ? `, or does not allow ${origin} (header \`access-control-allow-origin\`)` : ''
  return `Its table could not be fetched yet from ${url}: its server can not be reached${cors}. It is tried again by itself.`
}

/** The Content Security Policy of the page forbids the request; it can't change while the page is open. */
export function forbiddenTableError(url: string): DaybookError {
  const message = `The Content Security Policy forbids to fetch the file of its table, ${url}. Allow its origin in \`connect-src\`, and load the page again.`
  return new DaybookError('embedder-failed', message, { retry: false })
}
