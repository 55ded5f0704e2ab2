// How the hits of one recall differ from those of another, in places and in words.
import type { RecallHit } from '../../../src/index.ts'

/** What became of one hit: where it stood then and stands now, counted from 1. */
export interface HitChange {
  readonly id: string
  readonly kind: string
  readonly placeThen: number | undefined
  readonly placeNow: number | undefined
  readonly scoreThen: number | undefined
  readonly scoreNow: number | undefined
}

export interface Found {
  readonly id: string
  readonly kind: string
  readonly score: number
}

/** Hits of now first, in their order, then those that are not among them any more. */
export function compareHits(then: readonly Found[], now: readonly Found[]): HitChange[] {
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

export const foundOf = ({ record: { id, kind }, score }: RecallHit): Found => ({ id, kind, score })

/** Another place, or another score as it is written. */
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
