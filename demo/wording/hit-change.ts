// The differences between the hits of two recalls, in ranks and in words.
import type { RecallHit } from '../../src/index.ts'

/** A hit's rank then and now, from 1. */
export interface HitChange {
  readonly id: string
  readonly kind: string
  readonly placeThen: number | undefined
  readonly placeNow: number | undefined
  readonly scoreThen: number | undefined
  readonly scoreNow: number | undefined
}

export interface RankedHit {
  readonly id: string
  readonly kind: string
  readonly score: number
}

/** The hits of now, in order, then those that are gone. */
export function compareHits(then: readonly RankedHit[], now: readonly RankedHit[]): HitChange[] {
  const places = new Map(then.map((hit, i) => [hit.id, { place: i + 1, score: hit.score }]))
  const here = new Set(now.map(({ id }) => id))
  return [
    ...now.map(({ id, kind, score }, i) => ({
      id,
      kind,
      placeThen: places.get(id)?.place,
      placeNow: i + 1,
      scoreThen: places.get(id)?.score,
      scoreNow: score,
    })),
    ...then
      .filter(({ id }) => !here.has(id))
      .map(({ id, kind, score }) => ({
        id,
        kind,
        placeThen: places.get(id)?.place,
        placeNow: undefined,
        scoreThen: score,
        scoreNow: undefined,
      })),
  ]
}

export const rankedHit = ({ record: { id, kind }, score }: RecallHit): RankedHit => ({ id, kind, score })

/** True for another rank, or another score as shown. */
export const isChanged = ({ placeThen, placeNow, scoreThen = 0, scoreNow = 0 }: HitChange) =>
  placeThen !== placeNow || Math.abs(scoreThen - scoreNow) >= 0.005

export const placeWord = (place: number | undefined, score = 0) =>
  place === undefined ? '–' : `#${place} (${score.toFixed(2)})`

export function changeWord({ placeThen, placeNow, scoreThen = 0, scoreNow = 0 }: HitChange): string {
  if (placeThen === undefined) return 'new'
  if (placeNow === undefined) return 'no longer found'
  if (placeNow < placeThen) return 'moved up'
  if (placeNow > placeThen) return 'moved down'
  if (Math.abs(scoreThen - scoreNow) < 0.005) return 'no change'
  return scoreNow > scoreThen ? 'higher score' : 'lower score'
}
