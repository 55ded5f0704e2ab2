// Recognizes errors of the browser's storage.

/** Whether the error means that this site has no space left. */
export const isQuotaFault = (error: unknown): boolean =>
  error instanceof DOMException && error.name === 'QuotaExceededError'

/** An error as text, with its name. */
export const inWords = (error: unknown): string =>
  error instanceof Error ? `${error.name}: ${error.message}` : String(error)
