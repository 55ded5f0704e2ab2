// A text in pieces: visible text, and invisible characters, which are shown by name.

export interface Hidden {
  /** Its place, in UTF-16 units. */
  readonly at: number
  readonly character: string
}

export type HiddenPiece =
  | { readonly kind: 'text'; readonly text: string }
  /** `note` replaces the invisible character, or precedes the text that it is about. */
  | { readonly kind: 'hidden'; readonly note: string }

/** Length of the invisible character at `at`: 0 for a note about a whole word or a label. */
function hiddenLength(text: string, { at, character }: Hidden): number {
  const code = text.codePointAt(at)
  if (code === undefined || !character.endsWith(`U+${hex(code)}`)) return 0
  return code > 0xffff ? 2 : 1
}

const hex = (code: number) => code.toString(16).toUpperCase().padStart(4, '0')

/** `zero-width space U+200B` → `U+200B zero-width space`, so that the note begins with the code. */
function noteOf({ character }: Hidden): string {
  const [, name, code] = /^(.*) (U\+[0-9A-F]+)$/.exec(character) ?? []
  return name === undefined || code === undefined ? character : `${code} ${name}`
}

/** Cuts `text` at invisible characters. */
export function piecesOf(text: string, hidden: readonly Hidden[]): HiddenPiece[] {
  const pieces: HiddenPiece[] = []
  let from = 0
  for (const one of hidden.toSorted((a, b) => a.at - b.at)) {
    if (one.at < from || one.at > text.length || one.character.startsWith('in a label')) continue
    if (one.at > from) pieces.push({ kind: 'text', text: text.slice(from, one.at) })
    pieces.push({ kind: 'hidden', note: noteOf(one) })
    from = one.at + hiddenLength(text, one)
  }
  if (from < text.length || pieces.length === 0) pieces.push({ kind: 'text', text: text.slice(from) })
  return pieces
}
