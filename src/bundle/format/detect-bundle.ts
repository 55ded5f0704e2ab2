// Recognises a bundle by its beginning: encrypted or not, in any spelling of JSON. A separate file, because pages
// load it.

/** Longest file of another format, in characters. Such a file is read whole. */
export const maxFileLength = 20_000_000

/** `beginsBundle` reads at most this many characters: a bundle has its `format` or `memory` among them. */
export const maxBeginningLength = 65_536

const jsonToken = /[ \t\n\r]*("[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]|[^ \t\n\r"{}[\],:]+)/y
/** A byte order mark and white space before the bundle, however long. */
const beginning = /^\uFEFF?[ \t\n\r]*/

/**
 * True if a text that begins with `fileHead` is a bundle: an object whose `format` begins with
 * `kstar-bundle`, or with `memory` before its `format`. Undefined: needs more text.
 */
export function beginsBundle(fileHead: string): boolean | undefined {
  const head = fileHead.replace(beginning, '')
  let depth = 0
  let previous = ''
  let key: string | undefined
  jsonToken.lastIndex = 0
  for (let match = jsonToken.exec(head); match; match = jsonToken.exec(head)) {
    const [, text = ''] = match
    // A JSON list or a plain value is no bundle.
    if (depth === 0 && text !== '{') return false
    const isKey = depth === 1 && text.startsWith('"') && previous !== ':'
    if (depth === 1 && previous === ':' && key === 'format')
      return parseJsonString(text).startsWith('kstar-bundle')
    if (depth === 1 && previous === ':' && key === 'memory') return text === '{'
    if (isKey) key = parseJsonString(text)
    if (text === '{' || text === '[') depth += 1
    else if (text === '}' || text === ']') depth -= 1
    if (depth === 0) return false
    previous = text
  }
  return head.length < maxBeginningLength ? undefined : false
}

/** The value of a JSON string; empty for other text. */
function parseJsonString(json: string): string {
  try {
    return String(JSON.parse(json))
  } catch {
    return ''
  }
}
