// The keys that seal a book's sensitive records: made here, kept in a vault under a key of the device or a passphrase.
// Invariant: a key is durable in the vault before anything is sealed with it, and none is dropped while anything needs it;
// without the passphrase nothing of a key is in memory. A passphrase costs the same whether it is right or wrong.
import { z } from 'zod'
import { fromBase64, toBase64 } from '../shape/encoded-bytes.ts'
import { DaybookError } from '../core/errors.ts'
import { toHex } from '../core/ids.ts'
import type { InstantCipher, InstantKey, KeyVault, Ports, SealingKey } from '../core/ports.ts'
import { parseWith } from '../core/schema.ts'
import {
  lockedError,
  type LockedReason,
  type SealedBody,
  type SealedOwner,
  type Sealer,
} from '../core/sealed.ts'
import { deriveGuard, type Guard, guardShape, newGuard } from './key-guard.ts'

/** The keys of a book, by their ids; `current` seals. */
export interface Keys {
  readonly current: string
  readonly secrets: ReadonlyMap<string, Uint8Array>
}

export interface Keychain extends Sealer {
  /** Reads what the vault has, and opens it if no passphrase guards it. */
  begin(): Promise<void>
  /** True when `begin` was never called. */
  isUnread(): boolean
  state(): 'off' | 'unused' | 'locked' | 'open'
  guard(): Guard['by'] | undefined
  /** While open: the keys. */
  keys(): Keys | undefined
  unlock(passphrase: string): Promise<void>
  lock(): void
  /** Replaces the keys, once they are durable. Without a guard given, the one there is stays. */
  keep(keys: Keys, passphrase?: { readonly passphrase: string | undefined }): Promise<void>
  /** Makes the first key, unless there is one. */
  ensure(): Promise<void>
  /** Has `onChange` called when keys came or went. */
  watch(onChange: () => void): void
}

export interface KeychainParts extends Pick<Ports, 'random' | 'cipher'> {
  /** Absent where no key of a book is ever kept. */
  readonly aes: InstantCipher | undefined
  readonly book: string
  readonly vault: KeyVault | undefined
}

const keptShape = z.strictObject({
  version: z.literal(1),
  guard: guardShape,
  n: z.string(),
  ct: z.string(),
})
export const keysShape = z.strictObject({
  current: z.string(),
  secrets: z.record(z.string().regex(/^k_[0-9a-f]{16}$/), z.string()),
})

export function createKeychain({ book, vault, random, cipher, aes }: KeychainParts): Keychain {
  let isRead = false
  let kept: z.output<typeof keptShape> | undefined
  let guardKey: SealingKey | undefined
  let keys: Keys | undefined
  const used = new Map<string, InstantKey>()
  const watchers: (() => void)[] = []

  /** What a sealed body is bound to: nobody can put it in the place of another. */
  const boundTo = ({ kind, id }: SealedOwner, { v, kid }: Pick<SealedBody, 'v' | 'kid'>) =>
    JSON.stringify(['daybook', book, kind, id, v, kid])
  const keyOf = (kid: string): InstantKey | undefined => {
    const known = used.get(kid)
    const secret = keys?.secrets.get(kid)
    if (known || !secret || !aes) return known
    const key = aes.key(secret)
    used.set(kid, key)
    return key
  }

  const parseKept = (text: string) => {
    try {
      return parseWith(keptShape, JSON.parse(text))
    } catch (cause) {
      throw new DaybookError(
        'storage-failed',
        'The keys of this book are kept in a form that is not known.',
        {
          cause,
          retry: false,
        },
      )
    }
  }

  const take = (next: Keys | undefined) => {
    keys = next
    used.clear()
    for (const onChange of watchers) onChange()
  }

  const openWith = async (
    key: SealingKey,
    { guard, n, ct }: z.output<typeof keptShape>,
  ): Promise<Keys | undefined> => {
    const text = await key.open(
      fromBase64(n) ?? new Uint8Array(12),
      headOf(book, guard),
      fromBase64(ct) ?? new Uint8Array(),
    )
    return text === undefined ? undefined : readKeys(text)
  }

  const begin = async () => {
    if (isRead || !vault) return
    const text = await vault.read()
    kept = text === undefined ? undefined : parseKept(text)
    if (kept?.guard.by === 'device') {
      guardKey = await vault.deviceKey()
      const opened = await openWith(guardKey, kept)
      if (!opened) {
        throw new DaybookError(
          'storage-failed',
          'The keys of this book do not open with the key of this device.',
          {
            retry: false,
          },
        )
      }
      take(opened)
    }
    isRead = true
  }

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
    const nonce = random.bytes(12)
    const ct = await key.seal(nonce, headOf(book, guard), writeKeys(next))
    const made = { version: 1 as const, guard, n: toBase64(nonce), ct: toBase64(ct) }
    await vault.write(JSON.stringify(made))
    kept = made
    guardKey = key
    take(next)
  }

  const sealer: Sealer = {
    current: () => keys?.current,
    reason(kid): LockedReason {
      if (!vault || !aes) return 'no-keys-here'
      if (!keys) return kept ? 'passphrase' : 'no-key-yet'
      return kid !== undefined && !keys.secrets.has(kid) ? 'key-missing' : 'altered'
    },
    seal(owner, v, text) {
      const kid = keys?.current
      const key = kid === undefined ? undefined : keyOf(kid)
      if (kid === undefined || !key) throw lockedError(sealer, owner)
      const nonce = random.bytes(12)
      const ct = key.seal(nonce, boundTo(owner, { v, kid }), text)
      return { alg: 'A256GCM', kid, v, n: toBase64(nonce), ct: toBase64(ct) }
    },
    open(owner, sealed) {
      const nonce = fromBase64(sealed.n)
      const ct = fromBase64(sealed.ct)
      if (nonce?.length !== 12 || !ct) return undefined
      return keyOf(sealed.kid)?.open(nonce, boundTo(owner, sealed), ct)
    },
  }

  return {
    ...sealer,
    begin,
    watch: (onChange) => void watchers.push(onChange),
    isUnread: () => !isRead && vault !== undefined,
    keys: () => keys,
    guard: () => kept?.guard.by,
    state: () => (!vault || !aes ? 'off' : keys ? 'open' : kept ? 'locked' : 'unused'),
    keep,
    async ensure() {
      await begin()
      if (!kept && !keys) await keep(addKey(undefined, random))
    },
    async unlock(passphrase) {
      if (!vault || !aes) throw lockedError(sealer)
      await begin()
      if (!kept) return keep(addKey(undefined, random), { passphrase })
      if (kept.guard.by === 'device') return keep(keys ?? addKey(undefined, random), { passphrase })
      const key = await deriveGuard(kept.guard, passphrase, cipher)
      const opened = await openWith(key, kept)
      if (!opened)
        throw new DaybookError('wrong-passphrase', 'The keys of this book do not open with this passphrase.')
      guardKey = key
      if (!keys) take(opened)
    },
    lock() {
      if (!keys) return
      if (kept?.guard.by !== 'passphrase')
        throw new DaybookError(
          'conflict',
          'The keys of this book have no passphrase, so there is nothing to lock.',
        )
      guardKey = undefined
      take(undefined)
    },
  }
}

/** `keys` with a new one, which seals from now on. */
export function addKey(keys: Keys | undefined, random: Ports['random']): Keys {
  const kid = `k_${toHex(random.bytes(8))}`
  return { current: kid, secrets: new Map([...(keys?.secrets ?? []), [kid, random.bytes(32)]]) }
}

const headOf = (book: string, guard: Guard) => JSON.stringify(['daybook-keys', book, guard])

export function writeKeys({ current, secrets }: Keys): string {
  const spelled = [...secrets].map(([kid, secret]) => [kid, toBase64(secret)])
  return JSON.stringify({ current, secrets: Object.fromEntries(spelled) })
}

/** Keys as `writeKeys` wrote them; undefined for anything else. */
export function readKeys(text: string): Keys | undefined {
  const { current, secrets } = parseWith(keysShape, JSON.parse(text))
  const read = new Map(
    Object.entries(secrets).map(([kid, secret]) => [kid, fromBase64(secret) ?? new Uint8Array()]),
  )
  const isSound = read.has(current) && [...read.values()].every(({ length }) => length === 32)
  return isSound ? { current, secrets: read } : undefined
}
