// Names of agents as they are compared. Invariant: folding twice is folding once, and two texts that a person reads as one name
// in another case, width or composition are the same text afterwards.

/** Printable ASCII without capitals: most names. */
const plainName = /^[!-@[-~]*$/

/** Full case folding over NFKC, without characters that nobody sees. */
export function foldName(name: string): string {
  if (plainName.test(name)) return name
  const plain = name.normalize('NFKC').replaceAll(/\p{DI}/gu, '')
  const folded = plain.toUpperCase().toLowerCase().replaceAll('ς', 'σ').normalize('NFKC').trim()
  return folded === name ? name : foldName(folded)
}
