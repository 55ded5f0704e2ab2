// Where a text stops being JSON (RFC 8259). Engines say why, but not always where; people need the line.

const token =
  /[ \t\n\r]*(?:([[{])|([\]}])|(,)|(:)|("(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*")|(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null))/y

/** What may come next. */
type Wanted = 'value' | 'value or end' | 'key' | 'key or end' | 'colon' | 'comma or end' | 'nothing'

/** The place of the first character that can't be there, as `line 3, column 7`; undefined when all is JSON. */
export function jsonErrorPlace(text: string): string | undefined {
  const closers: string[] = []
  let wanted: Wanted = 'value'
  let at = 0
  const after = (): Wanted => (closers.length === 0 ? 'nothing' : 'comma or end')
  for (;;) {
    token.lastIndex = at
    const match = token.exec(text)
    if (!match) break
    const [whole, open, close, comma, colon, string, other] = match
    const value = wanted === 'value' || wanted === 'value or end'
    if (open !== undefined && value) {
      closers.push(open === '{' ? '}' : ']')
      wanted = open === '{' ? 'key or end' : 'value or end'
    } else if (close !== undefined && wanted.endsWith('end') && closers.at(-1) === close) {
      closers.pop()
      wanted = after()
    } else if (comma !== undefined && wanted === 'comma or end')
      wanted = closers.at(-1) === '}' ? 'key' : 'value'
    else if (colon !== undefined && wanted === 'colon') wanted = 'value'
    else if (string !== undefined && (wanted === 'key' || wanted === 'key or end')) wanted = 'colon'
    else if ((string ?? other) !== undefined && value) wanted = after()
    else break
    at += whole.length
  }
  while (/[ \t\n\r]/.test(text.charAt(at))) at += 1
  if (at >= text.length && wanted === 'nothing') return undefined
  const lines = text.slice(0, at).split('\n')
  return `line ${lines.length}, column ${(lines.at(-1) ?? '').length + 1}`
}
