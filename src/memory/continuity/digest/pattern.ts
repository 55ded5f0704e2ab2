// Patterns: a person, a project or a topic that at least three daily digests name.
import { commonWords, contentWords } from '../../../core/text/content-word.ts'
import type { JsonObject } from '../../../core/json/path.ts'
import { type Persona, writingAgent } from '../persona/persona.ts'
import { type Digest, patternName, putNamed } from './digest-record.ts'
import { type Line, type PartName } from './line.ts'
import type { DigestPorts } from './write-day.ts'

/** Least number of daily digests that must name the subject of a pattern. */
export const patternFrom = 3
/** Most topics to keep. All people and projects are kept. */
const topicLimit = 10
const minLength = 4
const lineCount = 5
const digestCount = 100

const types: readonly (readonly [part: PartName, type: 'person' | 'project'])[] = [
  ['relationships', 'person'],
  ['projects', 'project'],
]

export interface Found {
  readonly type: 'person' | 'project' | 'topic'
  readonly about: string
  /** Digests that name the subject, each with its first line about it, oldest first. */
  readonly in: { readonly digest: Digest; readonly line: Line }[]
}

/**
 * Finds the patterns in daily digests. Pass the digests oldest first. Pure: the same digests give the same
 * patterns.
 */
export function findPatterns(digests: readonly Digest[]): Found[] {
  const found = new Map<string, Found>()
  const add = (type: Found['type'], about: string, digest: Digest, line: Line) => {
    const key = `${type} ${about}`
    const one = found.get(key) ?? { type, about, in: [] }
    if (one.in.at(-1)?.digest.id !== digest.id) one.in.push({ digest, line })
    found.set(key, one)
  }
  for (const digest of digests) {
    for (const [part, type] of types)
      for (const line of digest[part]) if (line.about !== undefined) add(type, line.about, digest, line)
    for (const line of [...digest.decisions, ...digest.summary])
      for (const word of new Set(contentWords(line.text))) if (isTopic(word)) add('topic', word, digest, line)
  }
  const often = [...found.values()].filter(({ in: places }) => places.length >= patternFrom)
  const names = new Set(often.filter(({ type }) => type !== 'topic').map(({ about }) => about.toLowerCase()))
  const topics = often
    .filter(({ type, about }) => type === 'topic' && !names.has(about))
    .toSorted((a, b) => b.in.length - a.in.length || (a.about < b.about ? -1 : 1))
  return [...often.filter(({ type }) => type !== 'topic'), ...topics.slice(0, topicLimit)]
}

const isTopic = (word: string) => word.length >= minLength && !/\d/.test(word) && !commonWords.has(word)

/** Stores the patterns of `digests`; returns the ids of the new and changed ones. */
export async function writePatterns(
  at: DigestPorts,
  persona: Persona,
  digests: readonly Digest[],
): Promise<string[]> {
  const found = findPatterns(digests)
  if (found.length === 0) return []
  return at.records.write((writer) =>
    found.flatMap((one) => {
      const name = patternName(persona, one.type, one.about)
      const { id, isNew } = putNamed(writer, name, patternBodyOf(persona, one), {
        agent: writingAgent(at, persona),
      })
      return isNew ? [id] : []
    }),
  )
}

export function patternBodyOf(persona: Persona, { type, about, in: places }: Found): JsonObject {
  const newest = places.toReversed()
  const first = places[0]?.digest
  const last = newest[0]?.digest
  return {
    persona: persona.ciId,
    about,
    type,
    days: places.length,
    first_day: first?.period_id ?? '',
    last_day: last?.period_id ?? '',
    last_at: last?.from ?? '',
    digests: newest.slice(0, digestCount).map(({ digest }) => digest.id),
    lines: newest.slice(0, lineCount).map(({ line }) => line) as unknown as JsonObject[],
  }
}
