// What a client written from the specification sends and is answered, as far as it looks at it.
import type { Value } from './client-merge.ts'

/** What an op or a change says, without the numbers that the mirror gave it. */
export type Said = Record<string, Value> & {
  readonly kind: string
  readonly id: string
  readonly op: 'put' | 'forget'
}

export type Change = Said & {
  readonly ver: number
  readonly seq: number
  readonly by: string
  readonly stamp: string
}

export interface Met {
  readonly ver: number
  readonly logged: boolean
  readonly said?: Omit<Said, 'kind' | 'id'> & { readonly op: 'put' | 'forget' }
}

export interface Result {
  readonly mid: number
  readonly s: 'ok' | 'conflict' | 'rejected'
  readonly ver: number
  readonly seq: number
  readonly policy: string
  readonly current: Change
  /** With an answer that is given again: what the op met. */
  readonly met?: Met
  /** The op went in place of a withdrawn one, and took effect itself. */
  readonly instead?: true
  readonly error: { readonly code: string }
}

export interface Digest {
  readonly seq: number
  readonly n: number
  readonly x: string
}

export interface Limits {
  readonly ops: number
  readonly requestBytes: number
}

export interface Answer {
  readonly epoch: string
  readonly lastMid: number
  readonly results: readonly Result[]
  readonly changes: readonly Change[]
  readonly cursor: number
  readonly more: boolean
  readonly floor: number
  readonly digest?: Digest
  readonly ranges?: readonly Digest[]
  readonly limits?: Limits
  readonly mark?: string
}

export interface Request {
  readonly epoch: string | null
  readonly ops: readonly { readonly mid: number }[]
  readonly pull: { readonly cursor: number }
}

/** What every mirror takes. */
export const usualLimits: Limits = { ops: 100, requestBytes: 700_000 }

/** The digest of records at these places, as far as they lie above `from` and not above `to`. */
export function digestOf(places: readonly number[], from: number, to: number): Digest {
  const within = places.filter((place) => place > from && place <= to)
  const sum = (of: (place: number) => number) => within.reduce((all, place) => all + of(place), 0)
  const x = `${sum((place) => place).toString(36)}.${sum((place) => (place % 65_521) ** 2).toString(36)}`
  return { seq: to, n: within.length, x }
}

export const sameDigest = (one: Digest, other: Digest) => one.n === other.n && one.x === other.x

export const hex = (value: number, width: number) => value.toString(16).padStart(width, '0')

export interface Stamps {
  next(name: string): string
  see(stamp: string): void
}

/** Stamps, each later than all that were made or seen. */
export function createStamps(clock: () => number): Stamps {
  const last = { ms: 0, count: 0 }
  return {
    next(name) {
      const now = clock()
      if (now > last.ms) Object.assign(last, { ms: now, count: 0 })
      else if (last.count < 0xffff) last.count += 1
      else Object.assign(last, { ms: last.ms + 1, count: 0 })
      return `${hex(last.ms, 12)}-${hex(last.count, 4)}-${name}`
    },
    see(stamp) {
      const [ms = 0, count = 0] = stamp.split('-').map((part) => Number.parseInt(part, 16))
      if (ms > last.ms || (ms === last.ms && count > last.count)) Object.assign(last, { ms, count })
    },
  }
}
