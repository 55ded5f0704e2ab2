// Recognises a bundle, encrypted or not, in any spelling, by its beginning. Alone here, as pages load it.

/** Longest file that is no bundle, in characters: it is read whole. */
export const fileLimit = 20_000_000

/** Characters of a file that are enough to recognise it. */
export const beginningLimit = 65_536

const token = /\s*("[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]|[^\s"{}[\],:]+)/y

/** True if a text that begins with `head` is a bundle: an object with that `format`, or with `memory` before a `format`. Undefined: needs more text. */
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
