// Sealing: sensitivity of records, sealed bodies, and the port that seals and opens them.
// Invariant: the text of a plain body is a JSON object, the text of a sealed body a JSON array, so the two are
// distinct.
import { defined } from './defined.ts'
import { DaybookError } from './errors.ts'

/** Sensitivities, lowest first. `sensitive` and `restricted` records are sealed. Default: `standard`. */
export const sensitivities = ['public', 'standard', 'sensitive', 'restricted'] as const
export type Sensitivity = (typeof sensitivities)[number]

/** True if records of this sensitivity are stored and sent only as ciphertext. */
export function isSealing(sensitivity: string | null | undefined): boolean {
  return sensitivity === 'sensitive' || sensitivity === 'restricted'
}

/** True if `to` is a lower sensitivity than `from`. Undefined counts as `standard`. */
export function isLowered(to: Sensitivity | undefined, from: Sensitivity | undefined): boolean {
  return sensitivities.indexOf(to ?? 'standard') < sensitivities.indexOf(from ?? 'standard')
}

/** Returns the higher of two sensitivities; undefined if both are absent. */
export function mostGuarded(
  one: Sensitivity | undefined,
  other: Sensitivity | undefined,
): Sensitivity | undefined {
  return isLowered(one, other) || one === undefined ? (isLowered(other, one) ? one : other) : one
}

/** A setting of a book on this device, set from `seal.lock` until the book is unlocked. */
export const lockedSetting = 'locked'

/**
 * True after `seal.lock`: a next owner, or a page or process that comes back, must not unlock the book by itself. True too
 * if the storage fails: then this owner ends.
 */
export function isLockedByCall(store: {
  readonly settings: { get(key: string): string | undefined }
}): boolean {
  try {
    return store.settings.get(lockedSetting) !== undefined
  } catch {
    return true
  }
}

export const sealingAlgorithm = 'A256GCM'

/** A body encrypted with AES-256-GCM (NIST SP 800-38D), tag of 128 bits. The mirror never has the key. */
export interface SealedBody {
  readonly alg: typeof sealingAlgorithm
  /** Id of the key. */
  readonly kid: string
  /** Version of the kind for which the body was written. */
  readonly v: number
  /** `n`: nonce of 12 random bytes. `ct`: ciphertext with its tag. Both base64. */
  readonly n: string
  readonly ct: string
  /** Further authenticated fields. Absent in older bodies, and in sealed texts that belong to no record. */
  readonly head?: SealedHead | undefined
}

/** Clear fields that the tag authenticates: without the key, a change is detected. A mirror may rename the agent. */
export interface SealedHead {
  /** Stamp of the sealed edit. Distinguishes versions. */
  readonly stamp: string
  readonly session?: string | undefined
  readonly resource?: string | undefined
  readonly sensitivity?: Sensitivity | undefined
}

/** Facts about a sealed body that are visible without its key. */
export interface SealedInfo {
  readonly alg: typeof sealingAlgorithm
  readonly kid: string
  /** Bytes of the ciphertext, tag included. */
  readonly bytes: number
}

/** The record that a sealed body is bound to. The body opens for no other record. */
export interface SealedOwner {
  readonly kind: string
  readonly id: string
  /** Further authenticated fields. */
  readonly head?: SealedHead | undefined
}

/** Returns the fields that the body of a record is bound to. */
export function sealedHead(clear: SealedHead): SealedHead {
  const { stamp, session, resource, sensitivity } = clear
  return {
    stamp,
    ...defined({ session, resource, sensitivity }),
  }
}

/**
 * Returns the additional authenticated data of a sealed body, except the name of its book. The data prevents moving
 * the body to another record.
 */
export function boundTo({ kind, id }: SealedOwner, { v, kid, head }: Pick<SealedBody, 'v' | 'kid' | 'head'>) {
  const base = [kind, id, v, kid]
  if (!head) return base
  return [...base, head.stamp, head.session ?? null, head.resource ?? null, head.sensitivity ?? null]
}

/**
 * True if a record with these clear fields may have this body. The record's stamp may be earlier, because a mirror
 * sets back clocks that run ahead; its sensitivity may be higher.
 */
export function fitsHead(clear: SealedHead, { head }: SealedBody): boolean {
  if (!head) return true
  const isSame = clear.session === head.session && clear.resource === head.resource
  return isSame && clear.stamp <= head.stamp && !isLowered(clear.sensitivity, head.sensitivity)
}

/** Sensitivity of a record with this sealed body: the highest of both heads, at least `sensitive`. */
export function sealedSensitivity(clear: Sensitivity | undefined, { head }: SealedBody): Sensitivity {
  const all = new Set([clear, head?.sensitivity, 'sensitive' as const])
  return sensitivities.toReversed().find((one) => all.has(one)) ?? 'sensitive'
}

/**
 * Seals and opens bodies synchronously. Law: `open` returns the text that was sealed for the same owner; undefined if
 * the key is missing or the body was changed. `seal` throws `locked` without a key.
 */
export interface Sealer {
  seal(owner: SealedOwner, version: number, text: string): SealedBody
  open(owner: SealedOwner, sealed: SealedBody): string | undefined
  /** Id of the key that seals; undefined without one. */
  current(): string | undefined
  /** Reason for not sealing or opening now; with `kid`, reason for not opening bodies of this key. */
  reason(kid?: string): LockedReason
  /** Place of the stored keys. Absent if none. */
  readonly place?: string | undefined
  /**
   * Requests the key of a body that was sealed to the book's public key. Such a key arrives asynchronously: `open`
   * returns undefined and requests it, too. After `receiveRequestedKeys`, `open` works unless the body was changed.
   */
  requestKey?(sealed: SealedBody): void
  /** How often `open` had no such key so far. */
  missingKeyCount?(): number
  receiveRequestedKeys?(): Promise<void>
}

/** A sealer with all methods. */
export type WholeSealer = Required<Omit<Sealer, 'place'>> & Pick<Sealer, 'place'>

/**
 * `no-keys-here`: this copy never has keys (the mirror). `no-key-yet`: no key was needed so far. `passphrase`: the
 * keys need the passphrase. `keys-lost`: the keys of this device are gone. `key-missing`: another device has the key.
 * `altered`: the key is here, but the body was changed.
 */
export type LockedReason =
  'no-keys-here' | 'no-key-yet' | 'passphrase' | 'keys-lost' | 'key-missing' | 'altered'

/** The sealer of a copy without keys. */
export const noSealer: Sealer = {
  seal(owner) {
    throw lockedError(this, owner)
  },
  open: () => undefined,
  current: () => undefined,
  reason: () => 'no-keys-here',
}

const words: Readonly<Record<Exclude<LockedReason, 'keys-lost'>, string>> = {
  'no-keys-here': "This copy of the book has no keys, so it can't read or write sensitive records.",
  'no-key-yet': 'The book has no key yet.',
  passphrase: 'The book is locked.',
  'key-missing': 'This device does not have the key of the record.',
  altered: 'The sealed record was changed, or belongs to another book.',
}

/**
 * Message about keys that were lost from `place`. Until the owner agrees, nothing is sealed with new keys, so that
 * the owner looks for the old ones.
 */
export const keysLost = (place = 'the storage of this device'): string =>
  `keys that seal this book are gone: they were in ${place}. Restore them from a copy, or import exported keys with \`seal.importKeys\`. If they are lost for good, create new ones with \`seal.rotate\`: sealed records then stay sealed.`

/** Returns the `locked` error for `owner` and its body. The error contains the key's id and no content. */
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
  const message = `The ${keysLost(sealer.place)}`
  return DaybookError.from({ code: 'locked', message, retry: false, details })
}

const textBeginning = `["${sealingAlgorithm}",`

/** True for the stored text of a sealed body. */
export function isSealedText(text: string): boolean {
  return text.startsWith(textBeginning)
}

/** Returns the stored text of a sealed body. */
export function sealedText({ alg, kid, v, n, ct, head }: SealedBody): string {
  return JSON.stringify([alg, kid, v, n, ct, ...(head ? [head] : [])])
}

/** Parses a stored text; undefined for a plain body. */
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

/** Characters of a passphrase that protects keys. A shorter one can be guessed despite the iterations. */
export const passphraseLength = { least: 8, most: 1024 } as const
