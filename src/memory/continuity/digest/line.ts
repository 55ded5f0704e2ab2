// A line of a digest, a pattern or a snapshot.
// Invariant: a line names the records from which it was written.
import { z } from 'zod'
import { recordId } from '../../../shape/field.ts'

export const lineLimit = { text: 400, records: 50, about: 200 } as const

export const line = z.looseObject({
  text: z.string().min(1).max(lineLimit.text),
  /** Ids of its records, most representative first. */
  records: z.array(recordId).min(1).max(lineLimit.records),
  /** The person, project or topic of the line, by which patterns are found. */
  about: z.string().min(1).max(lineLimit.about).optional(),
})
export type Line = z.output<typeof line>

/** The parts of a digest. */
export const partNames = ['summary', 'decisions', 'relationships', 'projects', 'open_questions'] as const
export type PartName = (typeof partNames)[number]
export type Parts = Readonly<Record<PartName, readonly Line[]>>

/** Display names of the parts. */
export const partTitles: Readonly<Record<PartName, string>> = {
  summary: 'Summary',
  decisions: 'Decisions and discoveries',
  relationships: 'Relationships',
  projects: 'Projects',
  open_questions: 'Open questions',
}

/** Most lines of each part. */
export const partLimit = 20

export const parts = {
  summary: z.array(line).max(partLimit).default([]),
  decisions: z.array(line).max(partLimit).default([]),
  relationships: z.array(line).max(partLimit).default([]),
  projects: z.array(line).max(partLimit).default([]),
  open_questions: z.array(line).max(partLimit).default([]),
}

/** Returns `text` on one line, cut to `limit` UTF-16 units. */
export function lineText(text: string, limit: number = lineLimit.text): string {
  const flat = text.replaceAll(/\s+/gu, ' ').trim()
  return flat.length <= limit
    ? flat
    : `${flat
        .slice(0, limit - 1)
        .toWellFormed()
        .trimEnd()}…`
}

/** Makes a line from `records`; undefined if there is no text or no record. */
export function lineOf(text: string, records: readonly string[], about?: string): Line | undefined {
  const flat = lineText(text)
  if (flat === '' || records.length === 0) return undefined
  const named = about === undefined ? undefined : lineText(about, lineLimit.about)
  return {
    text: flat,
    records: [...new Set(records)].slice(0, lineLimit.records),
    ...(named === undefined || named === '' ? {} : { about: named }),
  }
}

/** Ids of the records of lines, without duplicates. */
export const recordsOf = (lines: readonly { readonly records?: unknown }[]): string[] => [
  ...new Set(
    lines
      .flatMap(({ records }): unknown[] => (Array.isArray(records) ? records : []))
      .filter((id) => typeof id === 'string'),
  ),
]
