// Reports about secrets in records: place, rule and outcome. No report contains a secret.
import type { FoundSecret } from './body-secrets.ts'

/** Treatment of a secret before storing: seal its record, mask it, report it only, or don't search for it. */
export const secretModes = ['seal', 'mask', 'warn', 'off'] as const
export type SecretMode = (typeof secretModes)[number]

/** Result of the treatment. `kept`: the secret is stored in clear. */
export type SecretOutcome = 'sealed' | 'masked' | 'kept'

/** The secrets in one record. */
export interface StoredSecrets {
  readonly id: string
  readonly kind: string
  readonly outcome: SecretOutcome
  readonly secrets: readonly FoundSecret[]
}

/** Number of secrets of one rule in one field of a kind. `*` replaces list indexes in `path`. */
export interface SecretCount {
  readonly rule: string
  readonly kind: string
  readonly path: string
  readonly outcome: SecretOutcome
  readonly count: number
}

/** Counts the secrets of many records by rule, kind, path and outcome; highest count first. */
export function countSecrets(found: Iterable<StoredSecrets>): SecretCount[] {
  const one: SecretCount[] = []
  for (const { kind, outcome, secrets } of found)
    for (const { rule, path } of secrets) one.push({ rule, kind, path: placeOf(path), outcome, count: 1 })
  return sumSecrets(one)
}

/** Adds counts with equal rule, kind, path and outcome; highest count first. */
export function sumSecrets(counts: Iterable<SecretCount>): SecretCount[] {
  const sums = new Map<string, SecretCount>()
  for (const one of counts) {
    const key = JSON.stringify([one.rule, one.kind, one.path, one.outcome])
    sums.set(key, { ...one, count: (sums.get(key)?.count ?? 0) + one.count })
  }
  return [...sums.values()].sort((a, b) => b.count - a.count)
}

const placeOf = (path: string) => path.replaceAll(/(^|\.)\d+(?=\.|$)/g, '$1*')
