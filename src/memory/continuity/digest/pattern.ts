// Patterns: a person, a project or a topic that at least three daily digests name.
import { commonWords, contentWords } from '../../../core/text/content-word.ts'
import type { JsonObject } from '../../../core/json/path.ts'
import type { Persona } from '../persona/persona.ts'
import { type Digest, isUnread, patternName, storeIfChanged } from './digest-record.ts'
import { patternLimits } from './digest-kind.ts'
import { type DigestLine, type SectionName } from './digest-line.ts'
import type { DigestContext } from './write-day.ts'

/** Least number of daily digests that must name the subject of a pattern. */
export const minPatternDays = 3
/** Most topics to keep. All people and projects are kept. */
const maxTopics = 10
/** Least characters of a topic. */
const minTopicLength = 4

const typeBySection: readonly (readonly [section: SectionName, type: 'person' | 'project'])[] = [
  ['relationships', 'person'],
  ['projects', 'project'],
]

export interface FoundPattern {
  readonly type: 'person' | 'project' | 'topic'
  readonly about: string
  /** Digests that name the subject, each with its first line about it, oldest first. */
  readonly occurrences: { readonly digest: Digest; readonly line: DigestLine }[]
}

/**
 * Finds the patterns in daily digests. Pass the digests oldest first. Pure: the same digests give the same
 * patterns.
 */
export function findPatterns(digests: readonly Digest[]): FoundPattern[] {
  const patternByKey = new Map<string, FoundPattern>()
  const add = (type: FoundPattern['type'], about: string, digest: Digest, line: DigestLine) => {
    const key = `${type} ${about}`
    const pattern = patternByKey.get(key) ?? { type, about, occurrences: [] }
    if (pattern.occurrences.at(-1)?.digest.id !== digest.id) pattern.occurrences.push({ digest, line })
    patternByKey.set(key, pattern)
  }
  for (const digest of digests) {
    for (const [section, type] of typeBySection)
      for (const line of digest[section]) if (line.about !== undefined) add(type, line.about, digest, line)
    for (const line of [...digest.decisions, ...digest.summary])
      for (const word of new Set(contentWords(line.text))) if (isTopic(word)) add('topic', word, digest, line)
  }
  const recurring = [...patternByKey.values()].filter(
    ({ occurrences }) => occurrences.length >= minPatternDays,
  )
  // A word that names a person or a project is not also a topic. `contentWords` returns lower case.
  const names = new Set(
    recurring.filter(({ type }) => type !== 'topic').map(({ about }) => about.toLowerCase()),
  )
  const topics = recurring
    .filter(({ type, about }) => type === 'topic' && !names.has(about))
    .toSorted((a, b) => b.occurrences.length - a.occurrences.length || (a.about < b.about ? -1 : 1))
  return [...recurring.filter(({ type }) => type !== 'topic'), ...topics.slice(0, maxTopics)]
}

const isTopic = (word: string) => word.length >= minTopicLength && !/\d/.test(word) && !commonWords.has(word)

/**
 * Stores the patterns of `digests`, oldest first; returns the ids of the new and changed ones. A pattern that can't be
 * read here stays.
 */
export async function writePatterns(
  at: DigestContext,
  persona: Persona,
  digests: readonly Digest[],
): Promise<string[]> {
  const patterns = findPatterns(digests)
  if (patterns.length === 0) return []
  return at.records.write(
    (writer) =>
      patterns.flatMap((pattern) => {
        const name = patternName(persona, pattern.type, pattern.about)
        if (isUnread(writer.records, name)) return []
        const { id, isNew } = storeIfChanged(writer, name, patternBodyOf(persona, pattern), { persona })
        return isNew ? [id] : []
      }),
    'every-run',
  )
}

/**
 * The body of the pattern's record. `days`: daily digests with the subject. `last_at`: first instant of the last day.
 * `digests` and `lines`: newest first.
 */
export function patternBodyOf(persona: Persona, { type, about, occurrences }: FoundPattern): JsonObject {
  const newest = occurrences.toReversed()
  const first = occurrences[0]?.digest
  const last = newest[0]?.digest
  return {
    persona: persona.ciId,
    about,
    type,
    days: occurrences.length,
    first_day: first?.period_id ?? '',
    last_day: last?.period_id ?? '',
    last_at: last?.from ?? '',
    digests: newest.slice(0, patternLimits.digests).map(({ digest }) => digest.id),
    lines: newest.slice(0, patternLimits.lines).map(({ line }) => line) as unknown as JsonObject[],
  }
}
