// Confidence of a memory: `c · (1 − rate)^(age / 30 days)`. `age` is the time since the memory was last confirmed or
// used. Memories that are pinned, marked `keep` or written by the user don't decay.
// Invariant: pure, and computed on read; time alone never changes the stored confidence.
import { parseTime } from '../../../core/time.ts'
import type { MemoryType } from './category.ts'

/** Share of the confidence lost in 30 days. Events fade faster than facts and habits. */
export const decayRates: Readonly<Record<MemoryType, number>> = {
  episodic: 0.1,
  semantic: 0.05,
  procedural: 0.05,
}
const decayPeriodMs = 30 * 86_400_000

/**
 * Below `review`, the user should look at a memory; below `archive`, the upkeep archives it. A confidence equal to
 * a threshold is not below it.
 */
export const confidenceThresholds = { review: 0.5, archive: 0.3 } as const

/** Fields of a memory that its decay depends on. */
export interface DecayInput {
  readonly memory_type: MemoryType
  readonly confidence: number
  /** Time when the memory was stored: storing confirms it. */
  readonly created_at?: string | undefined
  readonly source: { readonly type: string; readonly timestamp: string }
  readonly metadata: { readonly approvedAt?: string | undefined; readonly lastConfirmed?: string | undefined }
  readonly marks?: { readonly pinned?: boolean | undefined; readonly keep?: boolean | undefined } | undefined
}

/** True for memories that don't decay: pinned, marked `keep`, or written by the user. */
export function neverDecays({ source, marks }: DecayInput): boolean {
  return source.type === 'user_manual' || marks?.pinned === true || marks?.keep === true
}

/**
 * Returns the time from which a memory ages, as canonical text: the latest of statement, storage, approval,
 * confirmation and use.
 */
function lastConfirmedAt(
  { source, metadata, created_at }: DecayInput,
  use: { readonly lastAt: string } | undefined,
): string {
  const times = [source.timestamp, created_at, metadata.approvedAt, metadata.lastConfirmed, use?.lastAt]
  return times.reduce<string>((latest, time) => (time !== undefined && time > latest ? time : latest), '')
}

/**
 * The confidence at `now`. `use`: the uses on this device (`MemoryUse` in read-memory.ts); undefined without
 * any. A decayed value is rounded to six digits, so that every host computes the same number.
 */
export function currentConfidence(
  memory: DecayInput,
  use: { readonly lastAt: string } | undefined,
  now: string,
): number {
  if (neverDecays(memory)) return memory.confidence
  const ageMs = Math.max(0, (parseTime(now) ?? 0) - (parseTime(lastConfirmedAt(memory, use)) ?? 0))
  const decayed = memory.confidence * (1 - decayRates[memory.memory_type]) ** (ageMs / decayPeriodMs)
  return ageMs === 0 ? memory.confidence : Math.round(decayed * 1e6) / 1e6
}

/** Confidence after the user confirms a memory: at least 0.8, the protocol's default. */
export const confirmedConfidence = (confidence: number): number => Math.max(confidence, 0.8)

export const needsReview = (current: number, memory: DecayInput): boolean =>
  !neverDecays(memory) && current < confidenceThresholds.review
export const mayArchive = (current: number, memory: DecayInput): boolean =>
  !neverDecays(memory) && current < confidenceThresholds.archive
