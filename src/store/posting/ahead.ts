// Records that are not derived yet, read as the postings need them: a question then need not wait until they are.
// Invariant: what is told of a record here is what its derived rows will say. Where that can't be told of the record alone
// (others supersede or mark it, it weighs more than others, it expires), nothing is told, and it has to be derived.
import type { Kind } from '../../core/kind.ts'
import { type JsonObject, readPath } from '../../core/json/path.ts'
import { markId } from '../../core/mark/mark-id.ts'
import { isSealedText } from '../../core/sealed.ts'
import { parseTime } from '../../core/time.ts'
import { type Source, sourceColumns } from '../record/derived-rows.ts'
import { textOf } from '../word/text.ts'
import { tokenize } from '../word/tokenize.ts'
import type { ReaderParts } from './derived.ts'
import type { RecordFacts } from './postings.ts'

/** What the postings take of a record. */
export interface AheadRecord {
  readonly terms: readonly string[]
  readonly facts: RecordFacts
  /** It will have a row in the text index, which counts there. */
  readonly isIndexed: boolean
}

export interface AheadReader {
  /**
   * Gives `take` the live records above `from`, in their order, of up to `limit` rows. Answers the number of the last row that
   * was read, and whether another one was in the way that has to be derived.
   */
  read(from: number, limit: number, take: (seq: number, record: AheadRecord) => void): Ahead
}

export interface Ahead {
  readonly last: number
  readonly isBlocked: boolean
}

type AheadRow = Source & { readonly used: number }

const weighing = ['importance', 'confidence', 'pinned'] as const

export function createAheadReader({ db, kinds, zone }: ReaderParts): AheadReader {
  const markKinds = [...kinds.values()].filter(({ marks }) => marks !== undefined).map(({ name }) => name)
  const anyMarks = () =>
    markKinds.some((name) => db.get('SELECT 1 FROM facets WHERE kind = ? LIMIT 1', [name]) !== undefined)
  const isMarked = (id: string) => db.get('SELECT 1 FROM records WHERE id = ?', [markId(id)]) !== undefined

  /** Undefined where it has to be derived. */
  const describe = (row: AheadRow, kind: Kind): AheadRecord | undefined => {
    const body = JSON.parse(row.body) as JsonObject
    if (row.used === 1 || weighing.some((name) => valueAt(body, kind.facets[name]) !== undefined))
      return undefined
    if (parseTime(textAt(body, kind.expires) ?? '') !== undefined) return undefined
    const happenedAt = textAt(body, kind.facets.happened_at) ?? row.created_at
    const texts = textOf(kind, body, happenedAt, zone)
    return {
      terms: texts.flatMap((text) => tokenize(text)),
      isIndexed: texts.length > 0,
      facts: {
        session: row.session ?? undefined,
        at: parseTime(happenedAt) ?? 0,
        isPlain: kind.recallable?.(body) !== false,
        isLight: true,
      },
    }
  }

  return {
    read(from, limit, take) {
      const rows = db.all<AheadRow>(
        `SELECT ${sourceColumns}, EXISTS (SELECT 1 FROM uses u WHERE u.seq = records.seq) AS used
         FROM records WHERE seq > ? ORDER BY seq LIMIT ?`,
        [from, limit],
      )
      const hasMarks = rows.length > 0 && anyMarks()
      let last = from
      for (const row of rows) {
        const kind = kinds.get(row.kind)
        if (!kind || !isAlone(kind) || (hasMarks && isMarked(row.id))) return { last, isBlocked: true }
        if (row.deleted === 0 && !isSealedText(row.body)) {
          const record = describe(row, kind)
          if (!record) return { last, isBlocked: true }
          take(row.seq, record)
        }
        last = row.seq
      }
      return { last, isBlocked: false }
    },
  }
}

/** True for kinds whose records neither change others by being there nor are changed so. */
const isAlone = ({ marks, madeFrom, cites = [] }: Kind) =>
  marks === undefined &&
  (madeFrom === undefined || madeFrom.reachOnly === true) &&
  cites.every(({ supersedes }) => supersedes !== true)

const valueAt = (body: JsonObject, path: string | undefined) =>
  path === undefined ? undefined : readPath(body, path)

function textAt(body: JsonObject, path: string | undefined): string | undefined {
  const value = valueAt(body, path)
  return typeof value === 'string' ? value : undefined
}
