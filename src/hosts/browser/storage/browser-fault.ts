// What the browser's storage throws, told apart and put in words in one way.

/** There is no space left for this site. */
export const isQuotaFault = (error: unknown): boolean =>
  error instanceof DOMException && error.name === 'QuotaExceededError'

export const inWords = (error: unknown): string =>
  error instanceof Error ? `${error.name}: ${error.message}` : String(error)
