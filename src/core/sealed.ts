// Sensitive records and what becomes of their bodies: how sensitive a record is, a sealed body, and who seals and opens.
// Invariant: the text of a plain body is a JSON object and that of a sealed one a JSON array, so neither passes for the other.
import { DaybookError } from './errors.ts'

/** How sensitive a record is. `sensitive` and `restricted` ones are sealed; nothing said is `standard`. */
export const sensitivities = ['public', 'standard', 'sensitive', 'restricted'] as const
export type Sensitivity = (typeof sensitivities)[number]

/** True when a record of this sensitivity is kept and sent as ciphertext only. */
export function isSealing(sensitivity: string | null | undefined): boolean {
  return sensitivity === 'sensitive' || sensitivity === 'restricted'
}

/** True when a record of the first sensitivity is less guarded than one of the second. */
export function isLowered(to: Sensitivity | undefined, from: Sensitivity | undefined): boolean {
  return sensitivities.indexOf(to ?? 'standard') < sensitivities.indexOf(from ?? 'standard')
}

/** The more guarded of two sensitivities; undefined where neither is said. */
export function mostGuarded(
  one: Sensitivity | undefined,
  other: Sensitivity | undefined,
): Sensitivity | undefined {
  return isLowered(one, other) || one === undefined ? (isLowered(other, one) ? one : other) : one
}

export const sealingAlgorithm = 'A256GCM'

/** A body under a key that the mirror never has: AES-256-GCM (NIST SP 800-38D) with a tag of 128 bits. */
export interface SealedBody {
  readonly alg: typeof sealingAlgorithm
  /** Which key. */
  readonly kid: string
  /** The version of the kind that the body was written for. */
  readonly v: number
  /** The nonce, 12 random bytes, and the ciphertext with its tag; base64. */
  readonly n: string
  readonly ct: string
  /** What else it is bound to; absent in bodies that were sealed before there was such a thing, or not for a record. */
  readonly head?: SealedHead | undefined
}

/** What a record says in clear beside a sealed body, and nobody may change without the key. A mirror may rename its agent. */
export interface SealedHead {
  /** Of the edit that was sealed: it tells one version from another. */
  readonly stamp: string
  readonly session?: string | undefined
  readonly resource?: string | undefined
  readonly sensitivity?: Sensitivity | undefined
}

/** What anybody can see of a sealed body without its key. */
export interface SealedInfo {
  readonly alg: typeof sealingAlgorithm
  readonly kid: string
  /** Bytes of the ciphertext, its tag included. */
  readonly bytes: number
}

/** Whose body it is: a sealed one opens as nobody else's. */
export interface SealedOwner {
  readonly kind: string
  readonly id: string
  /** What else it is sealed for. */
  readonly head?: SealedHead | undefined
}

/** The head that the body of a record is bound to. */
export function sealedHead(said: SealedHead): SealedHead {
  const { stamp, session, resource, sensitivity } = said
  return {
    stamp,
    ...(session === undefined ? {} : { session }),
    ...(resource === undefined ? {} : { resource }),
    ...(sensitivity === undefined ? {} : { sensitivity }),
  }
}

/** What a sealed body is bound to, after the name of its book: nobody can put it in the place of another. */
export function boundTo({ kind, id }: SealedOwner, { v, kid, head }: Pick<SealedBody, 'v' | 'kid' | 'head'>) {
  const base = [kind, id, v, kid]
  if (!head) return base
  return [...base, head.stamp, head.session ?? null, head.resource ?? null, head.sensitivity ?? null]
}

/**
 * True when a record that says `said` in clear may have this body. Its stamp may be earlier than that of the edit, where a
 * mirror has set a clock right that runs ahead, and it may be more sensitive.
 */
export function fitsHead(said: SealedHead, { head }: SealedBody): boolean {
  if (!head) return true
  const isSame = said.session === head.session && said.resource === head.resource
  return isSame && said.stamp <= head.stamp && !isLowered(said.sensitivity, head.sensitivity)
}

/** How sensitive a record with this body is: what is sealed is `sensitive` at least, whatever is said beside it. */
export function sealedSensitivity(said: Sensitivity | undefined, { head }: SealedBody): Sensitivity {
  const all = new Set([said, head?.sensitivity, 'sensitive' as const])
  return sensitivities.toReversed().find((one) => all.has(one)) ?? 'sensitive'
}

/**
 * Seals and opens bodies, at once. Law: `open` answers exactly what was sealed for the same owner, and undefined when the
 * key is not here or the body was altered; `seal` throws `locked` while there is no key to seal with.
 */
export interface Sealer {
  seal(owner: SealedOwner, version: number, text: string): SealedBody
  open(owner: SealedOwner, sealed: SealedBody): string | undefined
  /** The key that seals; undefined while there is none. */
  current(): string | undefined
  /** Why something can't be opened or sealed now. */
  reason(kid?: string): LockedReason
  /** Where the keys are kept, if anywhere. */
  readonly place?: string | undefined
  /**
   * What was sealed to the book's public key has a key of its own, which takes a moment to receive: `open` answers
   * undefined and waits for it. After `receive` it opens, unless it was altered. `want` does so ahead of `open`.
   */
  want?(sealed: SealedBody): void
  /** How often `open` lacked such a key so far. */
  lacking?(): number
  receive?(): Promise<void>
}

/** One that can do all of it. */
export type WholeSealer = Required<Omit<Sealer, 'place'>> & Pick<Sealer, 'place'>

/**
 * `no-keys-here`: this copy never has any (the mirror). `no-key-yet`: none was needed before. `passphrase`: they wait for
 * it. `keys-lost`: they sealed here, and are gone. `key-missing`: the key is on another device. `altered`: the key is here, and
 * what it should open is not whole.
 */
export type LockedReason =
  'no-keys-here' | 'no-key-yet' | 'passphrase' | 'keys-lost' | 'key-missing' | 'altered'

/** Of a copy that keeps no keys. */
export const noSealer: Sealer = {
  seal(owner) {
    throw lockedError(this, owner)
  },
  open: () => undefined,
  current: () => undefined,
  reason: () => 'no-keys-here',
}

const words: Readonly<Record<Exclude<LockedReason, 'keys-lost'>, string>> = {
  'no-keys-here':
    'This copy of the book keeps no keys, so sensitive records are neither read nor written here.',
  'no-key-yet': 'The book has no key yet.',
  passphrase: 'The book is locked.',
  'key-missing': 'The key of the record is not on this device.',
  altered: 'The sealed record was altered, or belongs to another book.',
}

/** Of keys that were in `place`. Nothing is sealed under new ones until the owner says so: else nobody would look for the old. */
export const keysLost = (place = 'the storage of this device'): string =>
  `the keys that seal this book are gone: they were in ${place}. Put them back from a copy; or bring exported ones back with \`seal.importKeys\`; or, if they are lost for good, begin new ones with \`seal.rotate\`: what is sealed stays sealed then.`

/** The error about `owner`, and about its body where there is one: it names the key, and says nothing of the content. */
export function lockedError(
  sealer: Pick<Sealer, 'reason' | 'place'>,
  owner?: SealedOwner,
  sealed?: SealedBody,
): DaybookError {
  const reason = sealer.reason(sealed?.kid)
  const details = {
    reason,
    ...(owner ? { id: owner.id, kind: owner.kind } : {}),
    ...(sealed ? { sealed: infoOf(sealed) } : {}),
  }
  if (reason !== 'keys-lost') return new DaybookError('locked', words[reason], { details })
  const message = `T${keysLost(sealer.place).slice(1)}`
  return DaybookError.from({ code: 'locked', message, retry: false, details })
}

const textBeginning = `["${sealingAlgorithm}",`

/** True for the text of a sealed body. */
export function isSealedText(text: string): boolean {
  return text.startsWith(textBeginning)
}

/** A sealed body as it is stored. */
export function sealedText({ alg, kid, v, n, ct, head }: SealedBody): string {
  return JSON.stringify([alg, kid, v, n, ct, ...(head ? [head] : [])])
}

/** The sealed body that a stored text is; undefined for a plain one. */
export function sealedOf(text: string): SealedBody | undefined {
  if (!isSealedText(text)) return undefined
  const [alg, kid, v, n, ct, head] = JSON.parse(text) as [
    typeof sealingAlgorithm,
    string,
    number,
    string,
    string,
    SealedHead?,
  ]
  return { alg, kid, v, n, ct, ...(head ? { head } : {}) }
}

export function infoOf({ alg, kid, ct }: SealedBody): SealedInfo {
  const padding = ct.endsWith('==') ? 2 : ct.endsWith('=') ? 1 : 0
  return { alg, kid, bytes: (ct.length / 4) * 3 - padding }
}
