// The keys that seal a book's sensitive records: created here, stored in a vault under a key of the device or a
// passphrase.
// Invariant: a key is durable in the vault before anything is sealed with it, and is never dropped while anything
// needs it; without the passphrase, no key is in memory; a right and a wrong passphrase take the same time; a book
// that was opened under another name opens the records that it sealed under its former name. Every change of the keys
// starts from the keys that the change before it stored.
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
  type Sealer,
  sealingAlgorithm,
  type WholeSealer,
} from '../../core/sealed.ts'
import {
  additionalDataOf,
  createKeyPairs,
  createOneCallSealer,
  headField,
  type KeyPairs,
  pairId,
  type PublicHalf,
  type OneCallSealer,
} from './key-pair.ts'
import {
  deriveGuardKey,
  type Guard,
  type EncryptedVault,
  type BookKeys,
  newGuard,
  decryptVault,
  parseVault,
  encryptVault,
  addBookNames,
} from './key-vault.ts'
import { DaybookError } from '../../core/errors.ts'

/** Error texts for a vault that has none of its own. */
const unusableTexts = {
  form: 'The keys of this book are stored in an unknown format; open it with the version that wrote them.',
  key: 'The keys of this book do not open with the key of this device. If the book had another name, open it once under that name.',
} as const

const unusableError = (vault: KeyVault, reason: 'form' | 'key'): DaybookError =>
  vault.unusable?.(reason) ?? new DaybookError('storage-failed', unusableTexts[reason], { retry: false })

/** The error for lost keys, if the caller gave a passphrase at opening: the next steps need an open book. */
function keysLostError(sealer: Pick<Sealer, 'reason' | 'place'>): DaybookError {
  const { message, ...shape } = lockedError(sealer).toJSON()
  return DaybookError.from({ ...shape, message: `${message} Open the book without a passphrase for that.` })
}

const wrongPassphraseError = ({ place }: KeyVault): DaybookError =>
  new DaybookError(
    'wrong-passphrase',
    `Wrong passphrase for the keys of this book${place === undefined ? '' : `, in ${place}`}.`,
  )

const nothingToUnlockError = (): DaybookError =>
  new DaybookError(
    'conflict',
    'The keys of this book have no passphrase: leave it out, or set one with `seal.guard`.',
    { details: { path: 'passphrase', guard: 'device' } },
  )

const nothingToLockError = (): DaybookError =>
  new DaybookError(
    'conflict',
    'The keys of this book have no passphrase, so they cannot be locked; set one with `seal.guard`.',
  )

export interface BookNames {
  /** Sealed bodies are bound to this name. */
  readonly present: string
  /** Other names of this book: its keys may have been stored or exported under one of them. */
  readonly earlier: readonly string[]
}

interface GuardChange {
  readonly passphrase: string | undefined
}

interface KeychainDeps extends Pick<Ports, 'random' | 'cipher'> {
  readonly encapsulation: KeyEncapsulation | undefined
  /** Absent on a host that never stores keys of a book. */
  readonly aes: InstantCipher | undefined
  /** Called once, when the names are first needed. */
  readonly names: () => BookNames
  readonly vault: KeyVault | undefined
  /**
   * True if keys were stored here and something is sealed: without a vault, the keys are then lost. Default: never.
   */
  readonly wereHere?: () => boolean
}

/** Methods without a comment: `Sealer` in core/sealed.ts, and `SealingPort` in core/capability/context.ts. */
export class Keychain implements WholeSealer {
  readonly #deps: KeychainDeps
  /** True once the vault was read, also if it is empty. */
  #isRead = false
  #names: BookNames | undefined
  /** All names that sealed bodies may be bound to, the present one first. */
  #books: readonly string[] = []
  /** The vault's content, still encrypted. Undefined: it has no keys, or was not read. */
  #vaulted: EncryptedVault | undefined
  /** The key that encrypts the vault. Undefined without keys, and while locked. */
  #guardKey: SealingKey | undefined
  /** Undefined without keys, and while locked. */
  #keys: BookKeys | undefined
  #pairs: KeyPairs | undefined
  readonly #publicSealers: { readonly sealer: OneCallSealer; readonly isCurrent: () => boolean }[] = []
  readonly #keyCache = new Map<string, InstantKey>()
  readonly #watchers: (() => void)[] = []
  /** Resolves when every change so far has ended; never rejects. */
  #lastChange: Promise<unknown> = Promise.resolve()
  #isClosed = false

  constructor(deps: KeychainDeps) {
    this.#deps = deps
  }

  get place(): string | undefined {
    return this.#deps.vault?.place
  }

  /**
   * Reads the vault, and opens it if no passphrase guards it. Does nothing after the first success; after a failure,
   * the next call reads the vault again.
   */
  async readVault(): Promise<void> {
    if (this.isUnread()) await this.#inTurn(() => this.#read())
  }

  /** True if this host has a vault, and `readVault` has not read it yet. */
  isUnread(): boolean {
    return !this.#isRead && this.#deps.vault !== undefined
  }

  /** The values: `SealState` in core/capability/context.ts. */
  state(): 'off' | 'unused' | 'lost' | 'locked' | 'open' {
    const { vault, aes } = this.#deps
    if (!vault || !aes) return 'off'
    if (this.#keys) return 'open'
    if (this.#vaulted) return 'locked'
    return this.#isLost() ? 'lost' : 'unused'
  }

  guard(): Guard['by'] | undefined {
    return this.#vaulted?.guard.by
  }

  /** The keys; undefined unless the state is `open`. */
  keys(): BookKeys | undefined {
    return this.#keys
  }

  /** The name to which sealed bodies are bound, and the other names of this book here. */
  names(): BookNames {
    return (this.#names ??= this.#deps.names())
  }

  async unlock(passphrase: string): Promise<void> {
    const { vault, aes } = this.#deps
    if (!vault || !aes) throw lockedError(this)
    await this.#inTurn(() => this.#unlock(vault, passphrase))
  }

  lock(): Promise<void> {
    return this.#inTurn(() => {
      if (!this.#keys) return
      if (this.guard() !== 'passphrase') throw nothingToLockError()
      this.#guardKey = undefined
      this.#setKeys(undefined, undefined)
    })
  }

  /**
   * Changes the keys after every earlier change, and resolves when they are durable. `next` gets the present keys
   * (undefined: none, or locked) and returns the new keys; undefined: no change. `guardChange` sets another guard: a
   * passphrase, or without one the key of the device.
   */
  async changeKeys(
    next: (keys: BookKeys | undefined) => BookKeys | undefined,
    guardChange?: GuardChange,
  ): Promise<void> {
    const { vault } = this.#deps
    if (!vault) throw lockedError(this)
    await this.#inTurn(async () => {
      await this.#read()
      const keys = next(this.#keys)
      if (keys) await this.#replaceKeys(vault, keys, guardChange)
    })
  }

  /** Creates the first key of a book without keys. Throws `locked` if the keys are lost. */
  async ensureKey(): Promise<void> {
    await this.changeKeys((keys) => {
      if (this.#isLost()) throw lockedError(this)
      return keys || this.#vaulted ? undefined : addKey(undefined, this.#deps.random)
    })
  }

  /** Writes nothing to the vault from now on: another engine may have opened the book. */
  close(): void {
    this.#isClosed = true
  }

  /** Calls `onChange` after keys were added or removed. */
  watch(onChange: () => void): void {
    this.#watchers.push(onChange)
  }

  /** The public half of the sealing key; undefined without one, or if the host has no X25519. */
  publicHalf(): PublicHalf | undefined {
    const publicKey = this.#keys && this.#pairs?.publicKeyOf(this.#keys.current)
    return publicKey && { publicKey, book: this.names().present }
  }

  /** The id of the key from which the pair of this public key is derived; undefined if the key is not here. */
  keyOfPair(publicKey: Uint8Array): string | undefined {
    return this.#pairs?.keyIdOf(pairId(publicKey))
  }

  /** The id, in sealed bodies, of the pair derived from the key `kid`. */
  pairIdOf(kid: string): string | undefined {
    return this.#pairs?.pairIdOf(kid)
  }

  /**
   * On a copy without keys: seals to this public half while `isCurrent` returns true, until the returned function
   * is called. Undefined if the host doesn't support it.
   */
  async sealToPublicKey(half: PublicHalf, isCurrent: () => boolean): Promise<(() => void) | undefined> {
    const sealer = await createOneCallSealer(this.#deps, half)
    if (!sealer) return undefined
    const entry = { sealer, isCurrent }
    this.#publicSealers.push(entry)
    return () => void this.#publicSealers.splice(this.#publicSealers.indexOf(entry), 1)
  }

  requestKey(sealed: SealedBody): void {
    this.#pairs?.requestKey(sealed)
  }

  missingKeyCount(): number {
    return this.#pairs?.missingKeyCount() ?? 0
  }

  async receiveRequestedKeys(): Promise<void> {
    await this.#pairs?.receiveRequestedKeys()
  }

  current(): string | undefined {
    return this.#keys?.current
  }

  reason(kid?: string): LockedReason {
    const { vault, aes } = this.#deps
    const keys = this.#keys
    if (!vault || !aes) return 'no-keys-here'
    if (!keys && this.#vaulted) return 'passphrase'
    if (!keys) return this.#isLost() ? 'keys-lost' : kid === undefined ? 'no-key-yet' : 'key-missing'
    // The key is here, but the caller could not open the body: the body was changed.
    const isHere = kid === undefined || keys.secrets.has(kid) || this.#pairs?.keyIdOf(kid) !== undefined
    return isHere ? 'altered' : 'key-missing'
  }

  seal(owner: SealedOwner, v: number, text: string): SealedBody {
    const kid = this.current()
    const key = kid === undefined ? undefined : this.#keyOf(kid)
    const { sealer } = this.#publicSealers.findLast(({ isCurrent }) => isCurrent()) ?? {}
    // A copy without a vault, such as a mirror, has no keys of its own.
    if (sealer && !this.#deps.vault) return sealer.seal(owner, v, text)
    if (kid === undefined || !key) throw lockedError(this, owner)
    const context = { key, kid, book: this.names().present, nonce: this.#deps.random.bytes(12) }
    return sealWith(context, owner, v, text)
  }

  open(owner: SealedOwner, sealed: SealedBody): string | undefined {
    if (this.#pairs?.keyIdOf(sealed.kid) !== undefined) return this.#pairs.open(owner, sealed)
    const key = this.#keyOf(sealed.kid)
    return key && openWith(key, this.#books, owner, sealed)
  }

  #keyOf(kid: string): InstantKey | undefined {
    const { aes } = this.#deps
    const cached = this.#keyCache.get(kid)
    const secret = this.#keys?.secrets.get(kid)
    if (cached || !secret || !aes) return cached
    const key = aes.key(secret)
    this.#keyCache.set(kid, key)
    return key
  }

  #setKeys(keys: BookKeys | undefined, pairs: KeyPairs | undefined): void {
    this.#keys = keys
    this.#pairs = pairs
    this.#keyCache.clear()
    for (const onChange of this.#watchers) onChange()
  }

  /**
   * Runs `work` after every earlier change of the keys has ended: of two changes that start from the same keys, the
   * second would drop the keys of the first.
   */
  #inTurn(work: () => Promise<void> | void): Promise<void> {
    const result = this.#lastChange.then(work)
    this.#lastChange = result.catch(() => undefined)
    return result
  }

  async #read(): Promise<void> {
    const { vault } = this.#deps
    if (this.#isRead || !vault) return
    const text = await vault.read()
    const vaulted = text === undefined ? undefined : parseVault(text)
    if (text !== undefined && !vaulted) throw unusableError(vault, 'form')
    if (vaulted?.guard.by !== 'device') this.#vaulted = vaulted
    else if (!(await this.#openVault(await vault.deviceKey(), vaulted))) throw unusableError(vault, 'key')
    this.#isRead = true
  }

  async #unlock(vault: KeyVault, passphrase: string): Promise<void> {
    await this.#read()
    if (this.#isLost()) throw keysLostError(this)
    const vaulted = this.#vaulted
    // A book without keys creates them: `openDaybook({ passphrase })` starts a guarded book.
    if (!vaulted) return this.#replaceKeys(vault, addKey(undefined, this.#deps.random), { passphrase })
    // Don't accept a passphrase here: a mistyped one would guard the keys from now on.
    if (vaulted.guard.by === 'device') throw nothingToUnlockError()
    const key = await deriveGuardKey(vaulted.guard, passphrase, this.#deps.cipher)
    if (!(await this.#openVault(key, vaulted))) throw wrongPassphraseError(vault)
    return undefined
  }

  async #replaceKeys(vault: KeyVault, keys: BookKeys, guardChange?: GuardChange): Promise<void> {
    const { random, cipher } = this.#deps
    const guard: Guard = guardChange
      ? newGuard(guardChange.passphrase === undefined ? 'device' : 'passphrase', random)
      : (this.#vaulted?.guard ?? newGuard('device', random))
    const key =
      guardChange?.passphrase !== undefined
        ? await deriveGuardKey(guard, guardChange.passphrase, cipher)
        : guard.by === 'device'
          ? await vault.deviceKey()
          : this.#guardKey
    if (!key) throw lockedError(this)
    await this.#storeKeys(keys, guard, key)
  }

  async #storeKeys(keys: BookKeys, guard: Guard, guardKey: SealingKey): Promise<void> {
    const { vault, random } = this.#deps
    const encrypted = await encryptVault(guardKey, { book: this.names().present, guard, random }, keys)
    if (this.#isClosed) throw new DaybookError('book-closed')
    await vault?.write(JSON.stringify(encrypted))
    await this.#useKeys(keys, encrypted, guardKey)
  }

  /** Sets everything at once: a call in between must not find the book locked. */
  async #useKeys(keys: BookKeys, vaulted: EncryptedVault, guardKey: SealingKey): Promise<void> {
    const books = [...new Set([this.names().present, ...keys.names])]
    const pairs = await createKeyPairs(this.#deps, keys.secrets, books)
    this.#books = books
    this.#vaulted = vaulted
    this.#guardKey = guardKey
    this.#setKeys(keys, pairs)
  }

  /**
   * Opens the vault under the name that it was written for, and rewrites it under the present name. False if `key`
   * doesn't open it.
   */
  async #openVault(key: SealingKey, vaulted: EncryptedVault): Promise<boolean> {
    const { present, earlier } = this.names()
    const decrypted = await decryptVault(key, [present, ...earlier], vaulted)
    if (!decrypted) return false
    const { book, keys } = decrypted
    if (book !== present) await this.#storeKeys(addBookNames(keys, [book]), vaulted.guard, key)
    else if (!this.#keys) await this.#useKeys(keys, vaulted, key)
    return true
  }

  #isLost(): boolean {
    return this.#isRead && !this.#vaulted && !this.#keys && this.#deps.wereHere?.() === true
  }
}

interface SealingContext {
  readonly key: InstantKey
  readonly kid: string
  readonly book: string
  readonly nonce: Uint8Array
}

function sealWith(
  { key, kid, book, nonce }: SealingContext,
  owner: SealedOwner,
  v: number,
  text: string,
): SealedBody {
  const ct = key.seal(nonce, additionalDataOf(book, owner, { v, kid, head: owner.head }), text)
  return { alg: sealingAlgorithm, kid, v, n: toBase64(nonce), ct: toBase64(ct), ...headField(owner) }
}

/** Opens a body bound to one of these names. */
function openWith(key: InstantKey, books: readonly string[], owner: SealedOwner, sealed: SealedBody) {
  const nonce = fromBase64(sealed.n)
  const ct = fromBase64(sealed.ct)
  if (nonce?.length !== 12 || !ct) return undefined
  for (const book of books) {
    const text = key.open(nonce, additionalDataOf(book, owner, sealed), ct)
    if (text !== undefined) return text
  }
  return undefined
}

/** `keys` with a new key, which seals from now on. */
export function addKey(keys: BookKeys | undefined, random: Ports['random']): BookKeys {
  const kid = `k_${toHex(random.bytes(8))}`
  const secrets = new Map([...(keys?.secrets ?? []), [kid, random.bytes(32)] as const])
  return { current: kid, secrets, names: keys?.names ?? [] }
}
