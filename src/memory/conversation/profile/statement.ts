// A statement about a user, and which attributes exclude each other.

/** One statement about a user. */
export interface Statement {
  /**
   * Such as `home` or `likes`, and `home (sister)` of somebody close to the user. The patterns find those in pattern/; a model may name
   * others.
   */
  readonly attribute: string
  readonly value: string
  /** True if the user states that the value is no longer true. */
  readonly denied: boolean
}

/**
 * True for attributes with one value at a time. Each `favourite …` and each `name of …` is an attribute of its own.
 */
export function isSingleValued(attribute: string): boolean {
  const name = attribute.replace(/ \([\p{L} -]+\)$/u, '')
  return singleValued.has(name) || name.startsWith('favourite ') || name.startsWith('name of ')
}
const singleValued = new Set(['name', 'home', 'origin', 'job', 'employer', 'birthday', 'age', 'diet'])

/** Attributes that exclude each other for the same value. */
export const opposites: Readonly<Record<string, string>> = { likes: 'dislikes', dislikes: 'likes' }
