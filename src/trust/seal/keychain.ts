// The keys that seal a book's sensitive records: made here, kept in a vault under a key of the device or a passphrase.
// Invariant: a key is durable in the vault before anything is sealed with it, and none is dropped while anything needs it;
// without the passphrase nothing of a key is in memory. A passphrase costs the same whether it is right or wrong. A book that is
// opened by another name opens what it sealed by the former one.
import { fromBase64, toBase64 } from '../../shape/encoded-bytes.ts'
import { toHex } from '../../core/ids.ts'
import type {
  InstantCipher,
  InstantKey,
  KeyEncapsulation,
  KeyVault,
  Ports,
  SealingKey,
} from '../../core/ports.ts'
import {
  lockedError,
  type LockedReason,
  type SealedBody,
  type SealedOwner,
  type WholeSealer,
} from '../../core/sealed.ts'
import { deriveGuard, type Guard, newGuard } from './key-guard.ts'
import { type KeptKeys, type Keys, openAnyKept, parseKept, sealKept, withNames } from './kept-keys.ts'
import {
  boundIn,
  createKeyPairs,
  createSending,
  headOf,
  type KeyPairs,
  pairId,
  type PublicHalf,
  type Sending,
} from './key-pair.ts'
import { lostAtOpening, nothingToLock, nothingToUnlock, unusable, wrongPassphrase } from './vault-fault.ts'

export interface Keychain extends WholeSealer {
  /** Reads what the vault has, and opens it if no passphrase guards it. */
  begin(): Promise<void>
  /** True when `begin` was never called. */
  isUnread(): boolean
  state(): 'off' | 'unused' | 'lost' | 'locked' | 'open'
  guard(): Guard['by'] | undefined
  /** While open: the keys. */
  keys(): Keys | undefined
  /** The name that what is sealed is bound to, and the others by which this book is known here. */
  names(): BookNames
  unlock(passphrase: string): Promise<void>
  lock(): void
  /** Replaces the keys, once they are durable. Without a guard given, the one there is stays. */
  keep(keys: Keys, passphrase?: { readonly passphrase: string | undefined }): Promise<void>
  /** Makes the first key, unless there is one. */
  ensure(): Promise<void>
  /** Has `onChange` called when keys came or went. */
  watch(onChange: () => void): void
  /** The public half of the key that seals; undefined while there is none, and where the host has no X25519. */
  publicHalf(): PublicHalf | undefined
  /** The key that the pair of this public key follows from; undefined when it is not here. */
  keyOfPair(publicKey: Uint8Array): string | undefined
  /** What bodies name the pair by that follows from the key `kid`. */
  pairOf(kid: string): string | undefined
  /**
   * Where no keys are kept: until the answer is called, what is sealed is sealed to this public half, as long as
   * `isCurrent` is true. Undefined where that can't be done.
   */
  sendTo(half: PublicHalf, isCurrent: () => boolean): Promise<(() => void) | undefined>
}

export interface BookNames {
  /** What is sealed is bound to this one. */
  readonly present: string
  /** By which the vault may have been written, where it does not say so itself. */
  readonly others: readonly string[]
}

export interface KeychainParts extends Pick<Ports, 'random' | 'cipher'> {
  readonly encapsulation: KeyEncapsulation | undefined
  /** Absent where no key of a book is ever kept. */
  readonly aes: InstantCipher | undefined
  /** Asked once, when the vault is read. */
  readonly names: () => BookNames
  readonly vault: KeyVault | undefined
  /** Whether keys were kept here, and something is sealed. Absent: that is never so. */
  readonly wereHere?: () => boolean
}

export function createKeychain(parts: KeychainParts): Keychain {
  const { vault, random, cipher, aes } = parts
  let isRead = false
  let asked: BookNames | undefined
  const names = () => (asked ??= parts.names())
  /** All names that what is sealed may be bound to, the present one first. */
  let books: readonly string[] = []
  let kept: KeptKeys | undefined
  let guardKey: SealingKey | undefined
  let keys: Keys | undefined
  let pairs: KeyPairs | undefined
  const sendings: { readonly sending: Sending; readonly isCurrent: () => boolean }[] = []
  const used = new Map<string, InstantKey>()
  const watchers: (() => void)[] = []

  const keyOf = (kid: string): InstantKey | undefined => {
    const known = used.get(kid)
    const secret = keys?.secrets.get(kid)
    if (known || !secret || !aes) return known
    const key = aes.key(secret)
    used.set(kid, key)
    return key
  }

  const put = (next: Keys | undefined, nextPairs: KeyPairs | undefined) => {
    keys = next
    pairs = nextPairs
    used.clear()
    for (const onChange of watchers) onChange()
  }
  const take = async (next: Keys) => {
    books = [...new Set([names().present, ...next.names])]
    put(next, await createKeyPairs(parts, next.secrets, books))
  }

  /** Opens the vault by the name that it was written for, and writes it for the present one. False where `key` does not. */
  const openVault = async (key: SealingKey, vaulted: KeptKeys): Promise<boolean> => {
    const { present, others } = names()
    const opened = await openAnyKept(key, [present, ...others], vaulted)
    if (!opened) return false
    guardKey = key
    if (opened.book !== present) await keep(withNames(opened.keys, [opened.book]))
    else if (!keys) await take(opened.keys)
    return true
  }

  const begin = async () => {
    if (isRead || !vault) return
    const text = await vault.read()
    kept = text === undefined ? undefined : parseKept(text)
    if (text !== undefined && !kept) throw unusable(vault, 'form')
    if (kept?.guard.by === 'device' && !(await openVault(await vault.deviceKey(), kept)))
      throw unusable(vault, 'key')
    isRead = true
  }

  const isLost = () => isRead && !kept && !keys && parts.wereHere?.() === true

  const keep: Keychain['keep'] = async (next, change) => {
    if (!vault) throw lockedError(sealer)
    const guard: Guard = change
      ? newGuard(change.passphrase === undefined ? 'device' : 'passphrase', random)
      : (kept?.guard ?? newGuard('device', random))
    const key =
      change?.passphrase !== undefined
        ? await deriveGuard(guard, change.passphrase, cipher)
        : guard.by === 'device'
          ? await vault.deviceKey()
          : guardKey
    if (!key) throw lockedError(sealer)
    const made = await sealKept(key, { book: names().present, guard, random }, next)
    await vault.write(JSON.stringify(made))
    kept = made
    guardKey = key
    await take(next)
  }

  const sealer: WholeSealer = {
    place: vault?.place,
    want: (sealed) => pairs?.want(sealed),
    lacking: () => pairs?.lacking() ?? 0,
    receive: async () => pairs?.receive(),
    current: () => keys?.current,
    reason(kid): LockedReason {
      if (!vault || !aes) return 'no-keys-here'
      if (!keys && kept) return 'passphrase'
      if (!keys) return isLost() ? 'keys-lost' : kid === undefined ? 'no-key-yet' : 'key-missing'
      const isHere = kid === undefined || keys.secrets.has(kid) || pairs?.keyOf(kid) !== undefined
      return isHere ? 'altered' : 'key-missing'
    },
    seal(owner, v, text) {
      const kid = keys?.current
      const key = kid === undefined ? undefined : keyOf(kid)
      const { sending } = sendings.findLast(({ isCurrent }) => isCurrent()) ?? {}
      if (sending && !vault) return sending.seal(owner, v, text)
      if (kid === undefined || !key) throw lockedError(sealer, owner)
      const under = { key, kid, book: names().present, nonce: random.bytes(12) }
      return sealUnder(under, owner, v, text)
    },
    open(owner, sealed) {
      if (pairs?.keyOf(sealed.kid) !== undefined) return pairs.open(owner, sealed)
      const key = keyOf(sealed.kid)
      return key && openUnder(key, books, owner, sealed)
    },
  }

  return {
    ...sealer,
    begin,
    watch: (onChange) => void watchers.push(onChange),
    isUnread: () => !isRead && vault !== undefined,
    keys: () => keys,
    names,
    guard: () => kept?.guard.by,
    state: () => (!vault || !aes ? 'off' : keys ? 'open' : kept ? 'locked' : isLost() ? 'lost' : 'unused'),
    keep,
    publicHalf() {
      const publicKey = keys && pairs?.publicOf(keys.current)
      return publicKey && { publicKey, book: names().present }
    },
    keyOfPair: (publicKey) => pairs?.keyOf(pairId(publicKey)),
    pairOf: (kid) => pairs?.idOf(kid),
    async sendTo(half, isCurrent) {
      const sending = await createSending(parts, half)
      if (!sending) return undefined
      const one = { sending, isCurrent }
      sendings.push(one)
      return () => void sendings.splice(sendings.indexOf(one), 1)
    },
    async ensure() {
      await begin()
      if (isLost()) throw lockedError(sealer)
      if (!kept && !keys) await keep(addKey(undefined, random))
    },
    async unlock(passphrase) {
      if (!vault || !aes) throw lockedError(sealer)
      await begin()
      if (isLost()) throw lostAtOpening(sealer)
      // A book that has no keys yet makes them under it: `openDaybook({ passphrase })` begins a guarded book.
      if (!kept) return keep(addKey(undefined, random), { passphrase })
      // What was only mistyped would guard them from now on.
      if (kept.guard.by === 'device') throw nothingToUnlock()
      const key = await deriveGuard(kept.guard, passphrase, cipher)
      if (!(await openVault(key, kept))) throw wrongPassphrase(vault)
    },
    lock() {
      if (!keys) return
      if (kept?.guard.by !== 'passphrase') throw nothingToLock()
      guardKey = undefined
      put(undefined, undefined)
    },
  }
}

interface Under {
  readonly key: InstantKey
  readonly kid: string
  readonly book: string
  readonly nonce: Uint8Array
}

function sealUnder(
  { key, kid, book, nonce }: Under,
  owner: SealedOwner,
  v: number,
  text: string,
): SealedBody {
  const ct = key.seal(nonce, boundIn(book, owner, { v, kid, head: owner.head }), text)
  return { alg: 'A256GCM', kid, v, n: toBase64(nonce), ct: toBase64(ct), ...headOf(owner) }
}

/** Opens a body that is bound to one of these names. */
function openUnder(key: InstantKey, books: readonly string[], owner: SealedOwner, sealed: SealedBody) {
  const nonce = fromBase64(sealed.n)
  const ct = fromBase64(sealed.ct)
  if (nonce?.length !== 12 || !ct) return undefined
  for (const book of books) {
    const text = key.open(nonce, boundIn(book, owner, sealed), ct)
    if (text !== undefined) return text
  }
  return undefined
}

/** `keys` with a new one, which seals from now on. */
export function addKey(keys: Keys | undefined, random: Ports['random']): Keys {
  const kid = `k_${toHex(random.bytes(8))}`
  const secrets = new Map([...(keys?.secrets ?? []), [kid, random.bytes(32)] as const])
  return { current: kid, secrets, names: keys?.names ?? [] }
}
