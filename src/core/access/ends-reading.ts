// The errors after which nothing that was read before may be shown any more: the right to read it has ended, or is not there.

export const endsReading: ReadonlySet<string> = new Set(['unauthorized', 'forbidden', 'consent-required'])
