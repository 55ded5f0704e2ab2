// The words of a proposal that stand in the memory that was made of it: its text, where that is what the memory said first, and
// why it was proposed. Pure, and total over JSON objects.
// Invariant: where the proposal is gone those fields are empty. The entries stay: by its place the first one is known, whatever a
// merge of two devices brings back.
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/path.ts'

type IsGone = (id: string) => boolean

/** `body` without the words of proposals that are gone; the same object where it has none. */
export function withoutGoneWords(body: JsonObject, isGone: IsGone): JsonObject {
  return withoutReasons(isMadeOf(body, isGone) ? withoutFirstWords(body) : body, isGone)
}

/** True where `before` has words of a proposal which `after` has no more because that is gone. */
export function losesWords(before: JsonObject, after: JsonObject): boolean {
  const left = wordsOf(after)
  return [...wordsOf(before)].some(([place, text]) => text !== '' && left.get(place) === '')
}

function isMadeOf({ source }: JsonObject, isGone: IsGone): boolean {
  const proposal = isJsonObject(source) ? source['proposal'] : undefined
  return typeof proposal === 'string' && isGone(proposal)
}

function withoutFirstWords(body: JsonObject): JsonObject {
  const { source, metadata } = body
  const { context, ...from } = isJsonObject(source) ? source : {}
  const left = context === undefined ? body : { ...body, source: from }
  const [first, ...later] = historyOf(metadata)
  if (!isJsonObject(metadata) || !isJsonObject(first) || first['previousContent'] === '') return left
  return { ...left, metadata: { ...metadata, editHistory: [{ ...first, previousContent: '' }, ...later] } }
}

function withoutReasons(body: JsonObject, isGone: IsGone): JsonObject {
  const { revised, reclassified } = body
  const notes = isJsonObject(revised) ? Object.values(revised).filter(isJsonObject) : []
  const gone = new Set(
    notes.flatMap(({ proposal, at }) => (typeof proposal === 'string' && isGone(proposal) ? [at] : [])),
  )
  const isQuoting = (one: Json) => {
    const { at = null, reason } = reasonOf(one)
    return gone.has(at) && reason !== ''
  }
  if (!Array.isArray(reclassified) || !reclassified.some(isQuoting)) return body
  const left = reclassified.map((one) => (isQuoting(one) ? { ...(one as JsonObject), reason: '' } : one))
  return { ...body, reclassified: left }
}

/** All that may be a proposal's words in `body`, by its place there. */
function wordsOf({ content, source, metadata, reclassified }: JsonObject): Map<string, unknown> {
  const { proposal, context = '' } = isJsonObject(source) ? source : {}
  const [first] = historyOf(metadata)
  const said = isJsonObject(first) ? first['previousContent'] : content
  const reasons = (Array.isArray(reclassified) ? reclassified : []).map(reasonOf)
  return new Map<string, unknown>([
    ...(typeof proposal === 'string'
      ? ([
          ['context', context],
          ['first', said],
        ] as const)
      : []),
    ...reasons.map(({ at, reason }) => [`reason ${String(at)}`, reason] as const),
  ])
}

/** When a proposal gave a reason, and which; empty for anything else. */
const reasonOf = (one: Json): JsonObject => (isJsonObject(one) && one['by'] === 'proposal' ? one : {})

const historyOf = (metadata: Json | undefined): readonly Json[] => {
  const history = isJsonObject(metadata) ? metadata['editHistory'] : undefined
  return Array.isArray(history) ? history : []
}
