// How sure a memory still is: confidence falls with the time since it was last confirmed or of use.
// `c · (1 − rate)^(age / 30 days)`, by the rates of the table below; nothing falls that is pinned or that the user wrote.
// Pure, and told when read: what time alone decides is never written.
import { parseTime } from '../../../core/time.ts'
import type { MemoryType } from './category.ts'

/** What is lost of a confidence in 30 days. What happened once fades; what is known or done keeps longer. */
export const decayRates: Readonly<Record<MemoryType, number>> = {
  episodic: 0.1,
  semantic: 0.05,
  procedural: 0.05,
}
const periodMs = 30 * 86_400_000

/** Below the first, a person should look at it; below the second, it is archived. At a threshold itself nothing happens. */
export const thresholds = { review: 0.5, archive: 0.3 } as const

/** What of a memory decides how its confidence falls. */
export interface Fading {
  readonly memory_type: MemoryType
  readonly confidence: number
  /** When it came into the book: whoever stores it says that it is so. */
  readonly created_at?: string | undefined
  readonly source: { readonly type: string; readonly timestamp: string }
  readonly metadata: { readonly approvedAt?: string | undefined; readonly lastConfirmed?: string | undefined }
  readonly marks?: { readonly pinned?: boolean | undefined; readonly keep?: boolean | undefined } | undefined
}

/** True for what does not fade: what is pinned or to be kept, and what the user wrote. */
export function isLasting({ source, marks }: Fading): boolean {
  return source.type === 'user_manual' || marks?.pinned === true || marks?.keep === true
}

/** Canonical time from which a memory ages: when it was last confirmed, approved or of use, else when it was said. */
function lastSeen(
  { source, metadata, created_at }: Fading,
  use: { readonly last_at: string } | undefined,
): string {
  const times = [source.timestamp, created_at, metadata.approvedAt, metadata.lastConfirmed, use?.last_at]
  return times.reduce<string>((latest, time) => (time !== undefined && time > latest ? time : latest), '')
}

/** The confidence at the instant `now`, to six digits: the same number on every host. */
export function currentConfidence(
  memory: Fading,
  use: { readonly last_at: string } | undefined,
  now: string,
): number {
  if (isLasting(memory)) return memory.confidence
  const ageMs = Math.max(0, (parseTime(now) ?? 0) - (parseTime(lastSeen(memory, use)) ?? 0))
  const left = memory.confidence * (1 - decayRates[memory.memory_type]) ** (ageMs / periodMs)
  return ageMs === 0 ? memory.confidence : Math.round(left * 1e6) / 1e6
}

/** What the user says is so is at least as sure as the protocol takes a memory to be of which nothing is said. */
export const confirmedConfidence = (confidence: number): number => Math.max(confidence, 0.8)

export const isDoubtful = (confidence: number, memory: Fading): boolean =>
  !isLasting(memory) && confidence < thresholds.review
export const isWornOut = (confidence: number, memory: Fading): boolean =>
  !isLasting(memory) && confidence < thresholds.archive
