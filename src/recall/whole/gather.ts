// Gathers a whole answer: drops what is below the floor, folds duplicates, chooses the best, and puts them into runs or
// into the order of time. Pure.
// Invariant: only records of the ranking are returned; without records there is no answer.
import { sameEventMs, sharpCut } from '../../core/capability/hit-rule.ts'
import type { Want } from '../../core/capability/port/recall-port.ts'
import type { Judged } from '../judge.ts'
import {
  diversify,
  isDuplicate,
  isSameFact,
  type IsSame,
  orderUnique,
  type RerankedRecord,
} from '../rerank.ts'
import type { WholePlace } from './exchange.ts'

export interface WholeOptions {
  readonly want: Want
  readonly limit: number
  /** Lower scores are left out, 0 to 1. */
  readonly minScore: number
  /** Only the best of nearly equal records. */
  readonly distinct: boolean
  readonly diversity: number
  readonly cut: 'none' | 'sharp'
}

export interface Whole<Item> extends Judged<Item> {
  /** The least score of a record of the answer, by its best score alone. */
  readonly floor: number
  /** See `RecallResult.complete`. */
  readonly complete: number
}

/**
 * A record with less than this share of the best score is no part of the answer. Higher for an order: its reader can't tell
 * a weak record by its place.
 */
const floorShares = { order: 0.06, others: 0.02 } as const

/**
 * `answering`: how many records may answer, if there are more than the `ranked` ones; else 0. `ranked`: in any order.
 */
export function gatherWhole<Item>(
  ranked: readonly RerankedRecord<Item>[],
  placeBySeq: ReadonlyMap<number, WholePlace>,
  { want, limit, minScore, distinct, diversity, cut }: WholeOptions,
  answering = 0,
): Whole<Item> {
  const best = ranked.reduce((most, { score }) => Math.max(most, score), 0)
  const floor = best * floorShares[want === 'order' ? 'order' : 'others']
  const answers = ranked.filter(({ score }) => score > 0 && score >= floor)
  const above = (want === 'order' ? spread(answers, placeBySeq) : answers).filter(
    ({ score }) => score >= minScore,
  )
  const isSame = want === 'summary' ? undefined : isRepeated(placeBySeq)
  const unique = orderUnique(above, distinct, diversity === 0 ? limit : Infinity, isSame)
  const varied = diversify(unique, limit, diversity)
  const chosen = cut === 'sharp' ? varied.slice(0, sharpCut(varied.map(({ score }) => score))) : varied
  const timeOf = ({ seq }: RerankedRecord<Item>) => placeBySeq.get(seq)?.happenedAtMs ?? 0
  const byTime = (a: RerankedRecord<Item>, b: RerankedRecord<Item>) => timeOf(a) - timeOf(b) || a.seq - b.seq
  const records =
    want === 'order'
      ? chosen.toSorted(byTime)
      : runsOf(chosen, placeBySeq).flatMap((run) => run.toSorted(byTime))
  return {
    records,
    reranked: ranked,
    best: varied,
    isSame,
    floor,
    complete: completeOf(chosen, above, distinct ? (isSame ?? isDuplicate) : () => false, answering),
  }
}

/**
 * A list and an order have each event, also one in the same words as another. The same words at the same time
 * are a copy, such as of an import.
 */
export const isRepeated =
  (placeBySeq: ReadonlyMap<number, Pick<WholePlace, 'happenedAtMs'>>): IsSame =>
  (a, b) => {
    const [one = 0, other = 0] = [a, b].map(({ seq }) => placeBySeq.get(seq)?.happenedAtMs)
    return isSameFact(a, b) || (Math.abs(one - other) < sameEventMs && isDuplicate(a, b))
  }

/** A record takes this share of the scores beside it in its session, up to so many records away; the farther, the less. */
const spreadBy = { share: 0.5, records: 4 } as const

/**
 * The records with lower scores beside better ones, so that the best are spread over the talks: an order needs all its
 * events, and the records beside one mostly speak of the same event. From the best record on, each takes from those
 * around it 0.5, 0.375, 0.25 and 0.125 of what they have left.
 */
function spread<Item>(
  answers: readonly RerankedRecord<Item>[],
  placeBySeq: ReadonlyMap<number, WholePlace>,
): RerankedRecord<Item>[] {
  const waiting = new Map(answers.map((one) => [one.seq, one]))
  const taken: RerankedRecord<Item>[] = []
  while (waiting.size > 0) {
    let next: RerankedRecord<Item> | undefined
    for (const one of waiting.values())
      if (!next || one.score > next.score || (one.score === next.score && one.seq > next.seq)) next = one
    if (!next) break
    taken.push(next)
    waiting.delete(next.seq)
    for (const side of ['before', 'after'] as const) {
      let at: number | undefined = next.seq
      for (let away = 0; away < spreadBy.records && at !== undefined; away++) {
        at = placeBySeq.get(at)?.[side]
        const beside = at === undefined ? undefined : waiting.get(at)
        if (!beside) continue
        const rest = 1 - spreadBy.share * (1 - away / spreadBy.records)
        waiting.set(beside.seq, { ...beside, score: beside.score * rest })
      }
    }
  }
  return taken
}

/** Two records are of one subject only if the weaker one has this share of the score of the other. */
const runShare = 0.5

/**
 * The runs of chosen records: those that follow each other in their session, with at most one other record between two
 * of them, and with similar scores. A run is a subject of a talk. The run with the best record comes first.
 */
function runsOf<Item>(
  chosen: readonly RerankedRecord<Item>[],
  placeBySeq: ReadonlyMap<number, WholePlace>,
): RerankedRecord<Item>[][] {
  const scoreBySeq = new Map(chosen.map(({ seq, score }) => [seq, score]))
  const runBySeq = new Map(chosen.map((one) => [one.seq, [one]]))
  const join = (seq: number, nextSeq: number | undefined) => {
    const run = runBySeq.get(seq)
    const next = nextSeq === undefined ? undefined : runBySeq.get(nextSeq)
    if (!run || !next || run === next) return
    const scores = [scoreBySeq.get(seq) ?? 0, scoreBySeq.get(nextSeq ?? -1) ?? 0]
    if (Math.min(...scores) < runShare * Math.max(...scores)) return
    run.push(...next)
    for (const one of next) runBySeq.set(one.seq, run)
  }
  for (const { seq } of chosen) {
    const after = placeBySeq.get(seq)?.after
    join(seq, after)
    if (after !== undefined) join(seq, placeBySeq.get(after)?.after)
  }
  const strengthOf = (run: readonly RerankedRecord<Item>[]) =>
    run.reduce((most, { score }) => Math.max(most, score), 0)
  return [...new Set(runBySeq.values())].sort((a, b) => strengthOf(b) - strengthOf(a))
}

/**
 * The weight of the chosen records as a share of the weight of all above the floor. Folded duplicates of chosen ones
 * count as returned. With more records than were ranked, at most the chosen share of their number.
 */
function completeOf(
  chosen: readonly RerankedRecord<unknown>[],
  above: readonly RerankedRecord<unknown>[],
  isSame: IsSame,
  answering: number,
): number {
  if (chosen.length === 0) return 1
  const isChosen = new Set(chosen.map(({ seq }) => seq))
  const returned = above.filter(
    (one) => isChosen.has(one.seq) || chosen.some((better) => isSame(one, better)),
  )
  const weightOf = (some: readonly { readonly score: number }[]) =>
    some.reduce((sum, { score }) => sum + score, 0)
  const share = weightOf(returned) / weightOf(above)
  return answering > returned.length ? Math.min(share, returned.length / answering) : share
}
