// Errors of the browser's storage.

/** Whether the error means that this site has no space left. */
export const isQuotaFault = (error: unknown): boolean =>
  error instanceof DOMException && error.name === 'QuotaExceededError'

export const inWords = (error: unknown): string =>
  error instanceof Error ? `${error.name}: ${error.message}` : String(error)
