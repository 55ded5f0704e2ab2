// The matched words of a hit, as the record and the question write them.
import type { RecallHit } from '../../src/index.ts'

/** The words of the record, each once, in the order of the question. */
export const matchedWords = ({ because }: RecallHit): string[] => [
  ...new Set(because.text?.matches.map(({ record }) => record)),
]

/** A matched word for people: `Keys`, or `turbott → turbot` if the question writes another word. */
export const matchLabels = ({ because }: RecallHit): string[] => [
  ...new Set(
    because.text?.matches.map(({ question, record }) =>
      fold(question) === fold(record) ? record : `${question} → ${record}`,
    ),
  ),
]

/** The words of the question that only a neighbour of the record in its session has. */
export function nearbyWords({ because }: RecallHit): string[] {
  const own = new Set([...(because.text?.words ?? []), ...(because.date?.words ?? [])])
  return (because.window?.words ?? []).filter((word) => !own.has(word))
}

/** The passage that recall names, as a list of one; undefined for a record without one. */
export function namedText(record: object, passage: RecallHit['because']['passage']): [string] | undefined {
  return passage && [textsIn(valueAt(record, passage.path)).join(' ').slice(passage.from, passage.to)]
}

function valueAt(record: object, path: string): unknown {
  let value: unknown = record
  for (const key of path.split('.'))
    value =
      typeof value === 'object' && value !== null
        ? new Map<string, unknown>(Object.entries(value)).get(key)
        : undefined
  return value
}

/** The texts of a record, at any depth. */
export function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}

export const wordsOfText = (text: string): string[] =>
  [...text.matchAll(/[\p{L}\p{N}\p{M}]+/gu)].map(([word]) => word)

/** Without case and accents. */
export const fold = (word: string) => word.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase()
