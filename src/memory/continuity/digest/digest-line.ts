// A line of a digest, a pattern or a snapshot.
// Invariant: a line names the records from which it was written.
import { z } from 'zod'
import { recordId } from '../../../shape/field.ts'

/** Most characters of `text` and `about`, and most ids in `records`. */
export const lineLimits = { text: 400, records: 50, about: 200 } as const

export const digestLine = z.looseObject({
  text: z.string().min(1).max(lineLimits.text),
  /** Ids of its records, most representative first. */
  records: z.array(recordId).min(1).max(lineLimits.records),
  /** The person, project or topic of the line, by which patterns are found. */
  about: z.string().min(1).max(lineLimits.about).optional(),
})
export type DigestLine = z.output<typeof digestLine>

/** The sections of a digest, in order. */
export const sectionNames = ['summary', 'decisions', 'relationships', 'projects', 'open_questions'] as const
export type SectionName = (typeof sectionNames)[number]
export type Sections = Readonly<Record<SectionName, readonly DigestLine[]>>

/** Headings of the sections. */
export const sectionTitles: Readonly<Record<SectionName, string>> = {
  summary: 'Summary',
  decisions: 'Decisions and discoveries',
  relationships: 'Relationships',
  projects: 'Projects',
  open_questions: 'Open questions',
}

/** Most lines of each section. */
export const maxLinesPerSection = 20

export const sectionShapes = {
  summary: z.array(digestLine).max(maxLinesPerSection).default([]),
  decisions: z.array(digestLine).max(maxLinesPerSection).default([]),
  relationships: z.array(digestLine).max(maxLinesPerSection).default([]),
  projects: z.array(digestLine).max(maxLinesPerSection).default([]),
  open_questions: z.array(digestLine).max(maxLinesPerSection).default([]),
}

/** Returns `text` on one line, cut to `maxLength` UTF-16 units. */
export function toOneLine(text: string, maxLength: number = lineLimits.text): string {
  const flat = text.replaceAll(/\s+/gu, ' ').trim()
  return flat.length <= maxLength
    ? flat
    : `${flat
        .slice(0, maxLength - 1)
        .toWellFormed()
        .trimEnd()}…`
}

/** Makes a line from `records`; undefined if there is no text or no record. */
export function createLine(text: string, records: readonly string[], about?: string): DigestLine | undefined {
  const flat = toOneLine(text)
  if (flat === '' || records.length === 0) return undefined
  const subject = about === undefined ? undefined : toOneLine(about, lineLimits.about)
  return {
    text: flat,
    records: [...new Set(records)].slice(0, lineLimits.records),
    ...(subject === undefined || subject === '' ? {} : { about: subject }),
  }
}

/** Ids of the records of lines, without duplicates. */
export const recordIdsOf = (lines: readonly { readonly records?: unknown }[]): string[] => [
  ...new Set(
    lines
      .flatMap(({ records }): unknown[] => (Array.isArray(records) ? records : []))
      .filter((id) => typeof id === 'string'),
  ),
]
