// What is said of secrets that were found: where, of which sort, and what became of them. Never the secrets themselves.
import type { FoundSecret } from './body-secrets.ts'

/**
 * What is done about a secret before it is stored: its record is encrypted, a mark takes its place, it is only told of, or
 * nobody looks.
 */
export const secretModes = ['seal', 'mask', 'warn', 'off'] as const
export type SecretMode = (typeof secretModes)[number]

/** `kept`: stored as it was, in clear. */
export type SecretOutcome = 'sealed' | 'masked' | 'kept'

/** The secrets in one record. */
export interface StoredSecrets {
  readonly id: string
  readonly kind: string
  readonly outcome: SecretOutcome
  readonly secrets: readonly FoundSecret[]
}

/** How many secrets of one sort there are in one field of a kind; places in lists are `*`. */
export interface SecretCount {
  readonly rule: string
  readonly kind: string
  readonly path: string
  readonly outcome: SecretOutcome
  readonly count: number
}

/** The secrets of many records by sort, kind and place, most first. */
export function countSecrets(found: Iterable<StoredSecrets>): SecretCount[] {
  const one: SecretCount[] = []
  for (const { kind, outcome, secrets } of found)
    for (const { rule, path } of secrets) one.push({ rule, kind, path: placeOf(path), outcome, count: 1 })
  return sumSecrets(one)
}

/** Counts of one sort, kind, place and outcome put together, most first. */
export function sumSecrets(counts: Iterable<SecretCount>): SecretCount[] {
  const sums = new Map<string, SecretCount>()
  for (const one of counts) {
    const key = JSON.stringify([one.rule, one.kind, one.path, one.outcome])
    sums.set(key, { ...one, count: (sums.get(key)?.count ?? 0) + one.count })
  }
  return [...sums.values()].sort((a, b) => b.count - a.count)
}

const placeOf = (path: string) => path.replaceAll(/(^|\.)\d+(?=\.|$)/g, '$1*')
