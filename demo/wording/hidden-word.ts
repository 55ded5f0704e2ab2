// A text in pieces: what is plain, and what nobody sees when it is read, which is shown by its name.

export interface Hidden {
  /** Where it stands: UTF-16 units from the start. */
  readonly at: number
  readonly what: string
}

export type Piece =
  | { readonly kind: 'text'; readonly text: string }
  /** `note` stands in the place of the character, or before what it is said of where nothing is invisible there. */
  | { readonly kind: 'hidden'; readonly note: string }

/** Length of what is hidden at `at`: 0 for what is said of a whole word or of a label. */
function hiddenLength(text: string, { at, what }: Hidden): number {
  const code = text.codePointAt(at)
  if (code === undefined || !what.endsWith(`U+${hex(code)}`)) return 0
  return code > 0xffff ? 2 : 1
}

const hex = (code: number) => code.toString(16).toUpperCase().padStart(4, '0')

/** `zero-width space U+200B` → `U+200B zero-width space`, so that the mark begins with what it is looked up by. */
function noteOf({ what }: Hidden): string {
  const [, name, code] = /^(.*) (U\+[0-9A-F]+)$/.exec(what) ?? []
  return name === undefined || code === undefined ? what : `${code} ${name}`
}

/** Cuts `text` where something is hidden; the plain pieces together are what of it is seen. */
export function piecesOf(text: string, hidden: readonly Hidden[]): Piece[] {
  const pieces: Piece[] = []
  let from = 0
  for (const one of hidden.toSorted((a, b) => a.at - b.at)) {
    if (one.at < from || one.at > text.length || one.what.startsWith('in a label')) continue
    if (one.at > from) pieces.push({ kind: 'text', text: text.slice(from, one.at) })
    pieces.push({ kind: 'hidden', note: noteOf(one) })
    from = one.at + hiddenLength(text, one)
  }
  if (from < text.length || pieces.length === 0) pieces.push({ kind: 'text', text: text.slice(from) })
  return pieces
}
