// The public key of the book, stored in a record: a device with the keys of a mirrored book publishes the key, and a
// copy without keys seals to it.
// Invariant: a device replaces a public key whose private half it lacks only if the owner rotates keys there.
// Otherwise new arrivals could become readable on one device only.
import type { Changed } from '../../core/capability/chapter.ts'
import type { Ports } from '../../core/ports.ts'
import { formatTime } from '../../core/time.ts'
import { fromBase64Url, toBase64Url } from '../../shape/encoded-bytes.ts'
import type { BookStore } from '../../store/book-store.ts'
import type { Keychain } from '../../trust/seal/keychain.ts'
import { type PublicHalf, publicKeyBody, publicKeyId, publicKeyKind } from '../../trust/seal/key-pair.ts'

export interface PublicKey {
  /** The key in the record, if there is one. */
  read(): PublicHalf | undefined
  /**
   * Publishes the public half of the current key, if it differs from the published key. `own`: only if this device has
   * the private half of the published key. `anyway`: also without it.
   */
  publish(how: 'own' | 'anyway'): Promise<void>
  /**
   * True when no record sealed to an earlier key can arrive: the mirror has the current key, and this device has
   * every change that the mirror got before that key.
   */
  isSettled(): boolean
}

export interface PublicKeyParts extends Pick<Ports, 'clock' | 'log'> {
  readonly store: Pick<BookStore, 'newer' | 'records' | 'writes' | 'stamps' | 'ops' | 'settings'>
  readonly keychain: Pick<Keychain, 'publicHalf' | 'keyOfPair'>
  /** The agent in whose name the record is written. */
  readonly agent: string
  readonly hasMirror: boolean
  readonly wrote: (changed: readonly Changed[]) => void
}

function liveRow(records: Pick<BookStore['records'], 'row'>) {
  const row = records.row(publicKeyId)
  return row?.kind === publicKeyKind.name && row.deleted === 0 ? row : undefined
}

/** The published key, if there is one. */
export function readPublicKey(records: Pick<BookStore['records'], 'row'>): PublicHalf | undefined {
  const row = liveRow(records)
  const body = row && publicKeyBody.safeParse(JSON.parse(row.body)).data
  const publicKey = body && fromBase64Url(body.public_key)
  return publicKey && { publicKey, book: body.book }
}

export function createPublicKey(parts: PublicKeyParts): PublicKey {
  const { store, keychain, clock, agent, hasMirror } = parts
  const { records, writes, stamps, ops, settings } = store

  const live = () => liveRow(records)
  const read = () => readPublicKey(records)

  const put = ({ publicKey, book }: PublicHalf) => {
    const at = formatTime(clock.now())
    const row = records.put({
      op: 'put',
      kind: publicKeyKind.name,
      id: publicKeyId,
      stamp: stamps.next(),
      at,
      created_at: live()?.created_at ?? at,
      agent,
      body: { public_key: toBase64Url(publicKey), book, added_at: at },
    })
    ops.markUrgent(row.seq)
  }

  return {
    read,
    async publish(how) {
      const own = keychain.publicHalf()
      if (!own || !hasMirror || store.newer) return
      const isPut = await writes.write(() => {
        const stored = read()
        const isOwn =
          stored?.book === own.book && toBase64Url(stored.publicKey) === toBase64Url(own.publicKey)
        const isForeign = stored && keychain.keyOfPair(stored.publicKey) === undefined
        if (isOwn || (isForeign && how === 'own')) return false
        put(own)
        return true
      })
      if (isPut) parts.wrote([{ id: publicKeyId, kind: publicKeyKind.name }])
    },
    isSettled() {
      if (!hasMirror) return true
      const row = live()
      if (!row) return keychain.publicHalf() === undefined
      // `op` null: the mirror has the record, at number `place` of its changes. `cursor`: the last number
      // that this device has pulled.
      return row.op === null && row.place > 0 && settings.getNumber('cursor') >= row.place
    },
  }
}
