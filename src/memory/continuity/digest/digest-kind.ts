// The kinds `digest` and `pattern`: a day or a week of a persona in a few lines, and subjects that recur over days.
// Invariant: a persona has one digest for each period, merged from all devices; the text of a digest is derived from
// its lines.
import { z } from 'zod'
import { type Kind, whenField } from '../../../core/kind.ts'
import { isJsonObject, type JsonObject } from '../../../core/json/path.ts'
import { plainText } from '../../../core/text/shown-text.ts'
import { instant, recordId } from '../../../shape/field.ts'
import {
  digestLine,
  lineLimits,
  sectionNames,
  sectionShapes,
  sectionTitles,
  recordIdsOf,
} from './digest-line.ts'

export const periods = ['day', 'week'] as const
/** Most records of a day that a model reads. */
export const maxReadPerDay = 4000
/** Most records that the model of a digest read, in all days of a week. */
const maxReadRecords = 7 * maxReadPerDay
/** Most digests that a pattern names, and most lines that it quotes. */
export const patternLimits = { digests: 100, lines: 5 } as const

export const digestBody = z.looseObject({
  /** Id of the persona. */
  persona: recordId,
  period: z.enum(periods),
  /** A day `2026-01-31`, or an ISO week `2026-W05`. */
  period_id: z.string().regex(/^\d{4}-(?:\d{2}-\d{2}|W\d{2})$/),
  time_zone: z.string().max(100),
  /** The first instant of the period, and the first instant after the period. */
  from: instant,
  to: instant,
  ...sectionShapes,
  /** `extractive`: all lines in words of the records. `abstractive`: some lines in words of a language model. */
  method: z.enum(['extractive', 'abstractive']),
  /** Number of raw records when the digest was written. If the number has changed, the digest is rewritten. */
  raw: z.number().int().nonnegative(),
  /** Ids of records that a model read, beside those that the lines name. */
  read: z.array(recordId).max(maxReadRecords).default([]),
  /** All lines as Markdown, derived from the sections. */
  text: z.string().default(''),
})
export type DigestBody = z.output<typeof digestBody>

const linesIn = (body: JsonObject, section: string): readonly JsonObject[] => {
  const lines = body[section]
  return Array.isArray(lines) ? lines.filter(isJsonObject) : []
}

/** The digest as Markdown: a heading for each section with lines. */
function digestText(body: JsonObject): string {
  return sectionNames
    .flatMap((section) => {
      const items = linesIn(body, section).map(({ text }) => `- ${plainText(text)}`)
      return items.length === 0 ? [] : [`## ${sectionTitles[section]}\n${items.join('\n')}`]
    })
    .join('\n\n')
}

export const digestKind: Kind<'digest', DigestBody> = {
  name: 'digest',
  idPrefix: 'digest::',
  summary: 'A day or a week of a persona in a few lines, each with the records it rests on.',
  version: 1,
  schema: digestBody,
  text: [whenField, 'text'],
  facets: { happened_at: 'from', action: 'period', subject: 'persona', name: 'period_id' },
  policy: 'merge',
  // `derived`: the later edit wins. Two devices with the same records write the same digest. If their records
  // differ, the digest is rewritten once a device has all of them.
  merge: Object.fromEntries(
    [...sectionNames, 'method', 'raw', 'read', 'text', 'persona', 'time_zone', 'from', 'to'].map((name) => [
      name,
      'derived' as const,
    ]),
  ),
  settle: (body) => {
    const text = digestText(body)
    return body['text'] === text ? body : { ...body, text }
  },
  links: [...sectionNames.map((name) => `${name}.*.records`), 'read'],
  madeFrom: {
    sources: (body) => [
      ...new Set([
        ...sectionNames.flatMap((section) => recordIdsOf(body[section] ?? [])),
        ...(body.read ?? []),
      ]),
    ],
    rebuildVerb: 'katra:rebuild',
  },
}

export const patternBody = z.looseObject({
  persona: recordId,
  /** The recurring subject: a person, a project, or a topic. */
  about: z.string().min(1).max(lineLimits.about),
  type: z.enum(['person', 'project', 'topic']),
  /** Number of days with the subject; the first and the last of these days. */
  days: z.number().int().positive(),
  first_day: z.string(),
  last_day: z.string(),
  /** First instant of `last_day`. */
  last_at: instant,
  /** Ids of the digests that contain the subject, newest first; and the latest lines about it. */
  digests: z.array(recordId).max(patternLimits.digests),
  lines: z.array(digestLine).max(patternLimits.lines),
  text: z.string().default(''),
})
export type PatternBody = z.output<typeof patternBody>

function patternText(body: JsonObject): string {
  const { about, days, first_day: first, last_day: last } = body
  const items = linesIn(body, 'lines').map(({ text }) => `- ${plainText(text)}`)
  return [
    `${plainText(about)}: on ${plainText(days)} days from ${plainText(first)} to ${plainText(last)}`,
    ...items,
  ].join('\n')
}

export const patternKind: Kind<'pattern', PatternBody> = {
  name: 'pattern',
  idPrefix: 'pattern::',
  summary: 'A person, a project or a topic that recurs in the days of a persona.',
  version: 1,
  schema: patternBody,
  text: [whenField, 'text'],
  facets: { happened_at: 'last_at', action: 'type', subject: 'persona', name: 'about' },
  policy: 'merge',
  // As for digests: a device with all days computes the pattern again.
  merge: Object.fromEntries(
    ['days', 'first_day', 'last_day', 'digests', 'lines', 'text', 'persona', 'last_at'].map((name) => [
      name,
      'derived' as const,
    ]),
  ),
  settle: (body) => {
    const text = patternText(body)
    return body['text'] === text ? body : { ...body, text }
  },
  links: ['digests', 'lines.*.records'],
  madeFrom: { sources: ({ lines }) => recordIdsOf(lines ?? []), rebuildVerb: 'katra:rebuild' },
}
