// The kinds `digest` and `pattern`: a day or a week of a persona in a few lines, and what comes back from day to day.
// Invariant: there is one digest for each persona and period, merged from all devices, and its text follows from its lines.
import { z } from 'zod'
import { type Kind, whenField } from '../../../core/kind.ts'
import { isJsonObject, type JsonObject } from '../../../core/json/path.ts'
import { plainText } from '../../../core/text/plain-text.ts'
import { instant } from '../../../shape/instant.ts'
import { recordId } from '../../../shape/record-id.ts'
import { line, partNames, parts, partTitles, recordsOf } from './line.ts'

export const periods = ['day', 'week'] as const
/** Sources of one digest: those of its lines, and of a model's all that it was given. */
const sourceLimit = 6000

export const digestBody = z.looseObject({
  /** The id of the persona. */
  persona: recordId,
  period: z.enum(periods),
  /** `2026-01-31`, or `2026-W05`. */
  period_id: z.string().regex(/^\d{4}-(?:\d{2}-\d{2}|W\d{2})$/),
  time_zone: z.string().max(100),
  /** The first instant of the period, and the first one after it. */
  from: instant,
  to: instant,
  ...parts,
  /** How the lines were made: sentences and names of the records, or words of a language model. */
  method: z.enum(['extractive', 'abstractive']),
  /** How many raw records the period had when it was told: with another number it is told again. */
  raw: z.number().int().nonnegative(),
  /** What a model was given beside the records that the lines name. */
  read: z.array(recordId).max(sourceLimit).default([]),
  /** All lines as Markdown: follows from the rest. */
  text: z.string().default(''),
})
export type DigestBody = z.output<typeof digestBody>

const linesIn = (body: JsonObject, part: string): readonly JsonObject[] => {
  const lines = body[part]
  return Array.isArray(lines) ? lines.filter(isJsonObject) : []
}

/** The digest as Markdown: a heading for each part that says something. */
function textOf(body: JsonObject): string {
  return partNames
    .flatMap((part) => {
      const said = linesIn(body, part).map(({ text }) => `- ${plainText(text)}`)
      return said.length === 0 ? [] : [`## ${partTitles[part]}\n${said.join('\n')}`]
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
  // Told by two devices of one and the same records it says the same; of others, it is told again once both have all.
  merge: Object.fromEntries(
    [...partNames, 'method', 'raw', 'read', 'text', 'persona', 'time_zone', 'from', 'to'].map((name) => [
      name,
      'derived' as const,
    ]),
  ),
  settle: (body) => {
    const text = textOf(body)
    return body['text'] === text ? body : { ...body, text }
  },
  links: [...partNames.map((name) => `${name}.*.records`), 'read'],
  madeFrom: {
    sources: (body) => [
      ...new Set([...partNames.flatMap((part) => recordsOf(body[part] ?? [])), ...(body.read ?? [])]),
    ],
    anew: 'katra:tell_anew',
  },
}

export const patternBody = z.looseObject({
  persona: recordId,
  /** What comes back: a person, a project, or a topic. */
  about: z.string().min(1).max(200),
  type: z.enum(['person', 'project', 'topic']),
  /** On how many days, of which the first and the last. */
  days: z.number().int().positive(),
  first_day: z.string(),
  last_day: z.string(),
  last_at: instant,
  /** The digests it was found in, newest first, and what was said there last. */
  digests: z.array(recordId).max(100),
  lines: z.array(line).max(5),
  text: z.string().default(''),
})
export type PatternBody = z.output<typeof patternBody>

function patternText(body: JsonObject): string {
  const { about, days, first_day: first, last_day: last } = body
  const said = linesIn(body, 'lines').map(({ text }) => `- ${plainText(text)}`)
  return [
    `${plainText(about)}: on ${plainText(days)} days from ${plainText(first)} to ${plainText(last)}`,
    ...said,
  ].join('\n')
}

export const patternKind: Kind<'pattern', PatternBody> = {
  name: 'pattern',
  idPrefix: 'pattern::',
  summary: 'What comes back in the days of a persona: a person, a project, a topic.',
  version: 1,
  schema: patternBody,
  text: [whenField, 'text'],
  facets: { happened_at: 'last_at', action: 'type', subject: 'persona', name: 'about' },
  policy: 'merge',
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
  madeFrom: { sources: ({ lines }) => recordsOf(lines ?? []), anew: 'katra:tell_anew' },
}
