// Trust: how far the text of a record may be believed, by its writer and by the records that it is made of.
// Invariant: only the owner raises the trust of a record; every other change keeps it or lowers it.

/**
 * Classes of trust, highest first. `owner`: the user's own words. `device`: a program of the user. `agent`: a model, or
 * any guest. `external`: the web, output of tools, files of others. Default: `owner`.
 */
export const trustClasses = ['owner', 'device', 'agent', 'external'] as const
export type Trust = (typeof trustClasses)[number]

/** The lowest of these classes; undefined (`owner`) counts as the highest. */
export function lowestTrust(...some: readonly (Trust | null | undefined)[]): Trust | undefined {
  const lowest = Math.max(...some.map((one) => trustClasses.indexOf(one ?? 'owner')))
  return lowest > 0 ? trustClasses[lowest] : undefined
}
