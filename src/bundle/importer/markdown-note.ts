// Reads notes in Markdown: each section under a heading of level 1 or 2 becomes a fact of schema `note`, so that
// recall finds the section. A note is a fact and no message, because a later fact may supersede a fact.
import { idPrefixes } from '../../core/text/name-id.ts'
import type { JsonObject } from '../../core/json/path.ts'
import type { Draft, Drafts, SourceFile } from './draft.ts'
import { invalidFile } from './parse-file.ts'

const headingPattern = /^(#{1,2})[ \t]+(.*)$/
/** Marks that close a heading. CommonMark: only after a space, so `# Learn C#` keeps its mark. */
const closingPattern = /(?:^|[ \t])#+$/
const fencePattern = /^ {0,3}(?:(`{3,})([^`]*)|(~{3,})(.*))$/
const maxSections = 10_000

interface Section {
  /** Its heading, after the heading of level 1 above it. Empty: the text before the first heading. */
  readonly title: string
  /** The number of its first line in the file, from 1. */
  readonly line: number
  /** Its text, without the heading. */
  readonly lines: string[]
}

export function parseMarkdown({ name, text, hash }: SourceFile): Drafts {
  const { fields, lines, firstLineNumber } = parseFrontMatter(text.split(/\r?\n/))
  const sections: Section[] = [{ title: '', line: firstLineNumber, lines: [] }]
  let openFence: string | undefined
  let parentTitle = ''
  for (const [i, line] of lines.entries()) {
    // A fence closes with at least as many marks as opened it, and nothing after them. Headings inside are text.
    const [, ticks, ticksInfo, tildes, tildesInfo] = fencePattern.exec(line) ?? []
    const fenceMark = ticks ?? tildes
    const isBare = (ticksInfo ?? tildesInfo ?? '').trim() === ''
    if (fenceMark !== undefined && openFence === undefined) openFence = fenceMark
    else if (fenceMark !== undefined && isBare && openFence !== undefined && fenceMark.startsWith(openFence))
      openFence = undefined
    const headingMatch = openFence === undefined && fenceMark === undefined ? headingPattern.exec(line) : null
    const [, level = '', heading = ''] = headingMatch ?? []
    const title = heading.trim().replace(closingPattern, '').trimEnd()
    if (title !== '') {
      if (level.length === 1) parentTitle = title
      const fullTitle = level.length === 2 && parentTitle !== '' ? `${parentTitle} / ${title}` : title
      sections.push({ title: fullTitle, line: firstLineNumber + i, lines: [] })
    } else sections.at(-1)?.lines.push(line)
  }
  const fileTitle = name.replace(/\.(?:md|markdown)$/i, '')
  const records = sections.flatMap(({ title, line, lines: body }, i): Draft[] => {
    const content = body.join('\n').trim()
    if (content === '' && title === '') return []
    const data: JsonObject = {
      title: title || fields['title'] || fileTitle,
      text: content,
      file: name,
      line,
      ...(Object.keys(fields).length > 0 ? { front_matter: fields } : {}),
    }
    // `hash` is of the whole file: a changed file gives new ids, and the notes of its earlier text stay.
    const id = `${idPrefixes.markdown}${hash}-${i}`
    const fact = { schema: 'note', data, source: name, verified: false }
    return [{ kind: 'fact', id, body: fact, scope: {}, place: `line ${line}` }]
  })
  if (records.length === 0) throw invalidFile(name, '', 'The file has no text')
  if (records.length > maxSections) throw invalidFile(name, '', `It has more than ${maxSections} sections`)
  return { records }
}

/**
 * Parses plain `key: value` lines between two `---` at the start; other YAML is ignored. `fields`: these
 * values by key. `lines`: the lines after the second `---`, or all. `firstLineNumber`: the number of the
 * first of `lines` in the file, from 1.
 */
function parseFrontMatter(lines: readonly string[]) {
  const end =
    lines[0]?.trim() === '---' ? lines.findIndex((line, i) => i > 0 && line.trimEnd() === '---') : -1
  const fields: Record<string, string> = {}
  for (const line of lines.slice(1, Math.max(end, 1))) {
    const [, key, value] = /^([\w-]{1,100}):[ \t]*(.*?)[ \t]*$/.exec(line) ?? []
    // Setting `__proto__` would set the prototype of `fields`.
    if (key !== undefined && key !== '__proto__' && value) fields[key] = value.replaceAll(/^["']|["']$/g, '')
  }
  return { fields, lines: lines.slice(end + 1), firstLineNumber: end + 2 }
}
