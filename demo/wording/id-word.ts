// Ids for eyes: the end of an id tells neighbours apart, its beginning is mostly the time.

/** The last eight characters of a long id, a short one whole. */
export function shortId(id: string): string {
  return id.length <= 12 ? id : `…${id.slice(-8)}`
}
