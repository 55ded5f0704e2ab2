// Tells a bundle, encrypted or not and in whatever spelling, from other files by how it begins. Alone here, because pages
// carry it.

/** Longest file that is no bundle, in characters: it comes in whole. */
export const fileLimit = 20_000_000

/** As much of a file as is looked at, in characters. */
export const beginningLimit = 65_536

const token = /\s*("[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]|[^\s"{}[\],:]+)/y

/**
 * Whether a text that begins with `head` is a bundle: an object whose `format` says so, or which has come to its `memory`
 * without having said what it is. Undefined while that can't be told.
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

/** What a string says; nothing where it is none. */
function textOf(spelled: string): string {
  try {
    return String(JSON.parse(spelled))
  } catch {
    return ''
  }
}
