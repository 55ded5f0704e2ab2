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
/** The line below a heading without `#`. */
const underlinePattern = /^ {0,3}(=+|-+)[ \t]*$/
/** A line that is no paragraph: code, a list, a quotation, HTML or a table. */
const blockPattern = /^(?: {4}| {0,3}\t| {0,3}(?:[-*+>]|\d+[.)])(?:[ \t]|$)| {0,3}[>|<])/
const rulePattern = /^ {0,3}([-*_])[ \t]*(?:\1[ \t]*){2,}$/
const commentPattern = /^ {0,3}<!--/
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
  let isComment = false
  let parentTitle = ''
  for (const [i, line] of lines.entries()) {
    // A comment ends with the line that has its end, even if it is the first line.
    if (openFence === undefined && (isComment || commentPattern.test(line))) {
      isComment = !line.includes('-->')
      sections.at(-1)?.lines.push(line)
      continue
    }
    // A fence closes with at least as many marks as opened it, and nothing after them. Headings inside are text.
    const [, ticks, ticksInfo, tildes, tildesInfo] = fencePattern.exec(line) ?? []
    const fenceMark = ticks ?? tildes
    const isBare = (ticksInfo ?? tildesInfo ?? '').trim() === ''
    if (fenceMark !== undefined && openFence === undefined) openFence = fenceMark
    else if (fenceMark !== undefined && isBare && openFence !== undefined && fenceMark.startsWith(openFence))
      openFence = undefined
    const previousLines = sections.at(-1)?.lines ?? []
    const isText = openFence !== undefined || fenceMark !== undefined
    const found = isText ? undefined : (headingOf(line) ?? underlinedHeading(previousLines, line))
    if (!found) {
      previousLines.push(line)
      continue
    }
    if (found.isUnderlined) previousLines.pop()
    if (found.level === 1) parentTitle = found.title
    const title = found.level === 2 && parentTitle !== '' ? `${parentTitle} / ${found.title}` : found.title
    sections.push({ title, line: firstLineNumber + i - (found.isUnderlined ? 1 : 0), lines: [] })
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

interface Heading {
  readonly level: number
  readonly title: string
  /** True: the title is the line above. */
  readonly isUnderlined: boolean
}

function headingOf(line: string): Heading | undefined {
  const [, marks = '', heading = ''] = headingPattern.exec(line) ?? []
  const title = heading.trim().replace(closingPattern, '').trimEnd()
  return title === '' ? undefined : { level: marks.length, title, isUnderlined: false }
}

/** The heading that `line` underlines: a paragraph of one line above it. `lines`: the section's lines above. */
function underlinedHeading(lines: readonly string[], line: string): Heading | undefined {
  const [, underline] = underlinePattern.exec(line) ?? []
  const title = lines.at(-1) ?? ''
  const isBlock = [blockPattern, fencePattern, rulePattern].some((pattern) => pattern.test(title))
  const isParagraph = title.trim() !== '' && !isBlock
  if (underline === undefined || !isParagraph || (lines.at(-2) ?? '').trim() !== '') return undefined
  return { level: underline.startsWith('=') ? 1 : 2, title: title.trim(), isUnderlined: true }
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
