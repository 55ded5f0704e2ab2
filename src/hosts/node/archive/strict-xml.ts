// Reads the simple XML of S3: elements and text.
// Invariant: other XML, such as a document type, is refused, and nothing outside the document is loaded.

export interface XmlElement {
  readonly name: string
  /** Text with entities resolved; empty for an element with children. */
  readonly text: string
  readonly children: readonly XmlElement[]
}

const limit = { characters: 4_000_000, depth: 16 } as const
/** A closing tag, or an opening tag with its attributes, which may be empty (`/>`). */
const tag =
  /<(?:(\/)([\w.:-]{1,200})\s*|([A-Za-z_][\w.:-]{0,199})((?:\s+[\w.:-]{1,200}\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(\/?))>/y
const prolog = /^\uFEFF?\s*(?:<\?xml(?:\s+[\w.:-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*\s*\?>)?\s*/
const named: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }

/** The root element; element names have no namespace prefix. Undefined for invalid or other XML. */
export function readXml(text: string): XmlElement | undefined {
  if (text.length > limit.characters) return undefined
  const [start = ''] = prolog.exec(text) ?? []
  const open: { name: string; text: string; children: XmlElement[] }[] = []
  for (let at = start.length; ;) {
    tag.lastIndex = at
    const found = tag.exec(text)
    if (!found) return undefined
    const [whole, closing, closedName, openedName = '', , isEmpty] = found
    at += whole.length
    if (closing === undefined) {
      if (open.length >= limit.depth) return undefined
      open.push({ name: openedName, text: '', children: [] })
    }
    if (closing !== undefined || isEmpty === '/') {
      const done = open.pop()
      if (!done || (closing !== undefined && done.name !== closedName)) return undefined
      const element = { ...done, name: localName(done.name), text: done.children.length > 0 ? '' : done.text }
      const parent = open.at(-1)
      if (!parent) return text.slice(at).trim() === '' ? element : undefined
      parent.children.push(element)
    }
    const next = text.indexOf('<', at)
    if (next < 0) return undefined
    const content = plainText(text.slice(at, next))
    const into = open.at(-1)
    if (content === undefined || !into) return undefined
    into.text += content
    at = next
  }
}

const localName = (name: string) => name.slice(name.indexOf(':') + 1)

/** The text with its entities resolved; undefined for an unknown entity. */
function plainText(raw: string): string | undefined {
  let isValid = true
  const text = raw.replaceAll(/&([^;&]{0,10});?/g, (whole, name: string) => {
    const found = whole.endsWith(';') ? (named[name] ?? numbered(name)) : undefined
    isValid &&= found !== undefined
    return found ?? ''
  })
  return isValid ? text : undefined
}

/** The character of a numeric entity, as `#x41`; undefined for any other. */
function numbered(name: string): string | undefined {
  const [, hex, decimal] = /^#(?:x([0-9a-fA-F]{1,6})|(\d{1,7}))$/.exec(name) ?? []
  if (hex === undefined && decimal === undefined) return undefined
  const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)
  return code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff) ? undefined : String.fromCodePoint(code)
}

export function childOf(element: XmlElement | undefined, name: string): XmlElement | undefined {
  return element?.children.find((one) => one.name === name)
}

export const textOf = (element: XmlElement | undefined, name: string): string | undefined =>
  childOf(element, name)?.text
