// Recognises a bundle by its beginning: encrypted or not, in any spelling of JSON. A separate file, because pages
// load it.

/** Longest file of another format, in characters. Such a file is read whole. */
export const fileLimit = 20_000_000

/** With this many characters of a file, `beginsBundle` needs no more. */
export const beginningLimit = 65_536

const token = /\s*("[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]|[^\s"{}[\],:]+)/y

/**
 * True if a text that begins with `head` is a bundle: an object with such a `format`, or with `memory` before its
 * `format`. Undefined: needs more text.
 */
export function beginsBundle(head: string): boolean | undefined {
  let depth = 0
  let before = ''
  let key: string | undefined
  token.lastIndex = 0
  for (let match = token.exec(head); match; match = token.exec(head)) {
    const [, one = ''] = match
    if (depth === 0 && one !== '{') return false
    const isKey = depth === 1 && one.startsWith('"') && before !== ':'
    if (depth === 1 && before === ':' && key === 'format') return textOf(one).startsWith('kstar-bundle')
    if (depth === 1 && before === ':' && key === 'memory') return one === '{'
    if (isKey) key = textOf(one)
    if (one === '{' || one === '[') depth += 1
    else if (one === '}' || one === ']') depth -= 1
    if (depth === 0) return false
    before = one
  }
  return head.length < beginningLimit ? undefined : false
}

/** The value of a JSON string; empty for other text. */
function textOf(spelled: string): string {
  try {
    return String(JSON.parse(spelled))
  } catch {
    return ''
  }
}
