// The public key of the book: a device that has the keys of a mirrored book puts it into a record, a copy without keys
// seals to it. Invariant: no device puts its own key in the place of one whose private half it does not have, unless the
// owner rotates keys there: else what arrives could be read on another device than before.
import type { Changed } from '../../core/capability/service.ts'
import type { Ports } from '../../core/ports.ts'
import { formatTime } from '../../core/time.ts'
import { fromBase64Url, toBase64Url } from '../../shape/encoded-bytes.ts'
import type { BookStore } from '../../store/book-store.ts'
import type { Keychain } from '../../trust/seal/keychain.ts'
import { type PublicHalf, publicKeyBody, publicKeyId, publicKeyKind } from '../../trust/seal/key-pair.ts'

export interface PublicKey {
  /** What the record says; undefined where there is none. */
  read(): PublicHalf | undefined
  /** Puts the public half of the key that seals in, where that is due. `anyway`: also in the place of a stranger. */
  publish(how: 'own' | 'anyway'): Promise<void>
  /**
   * True when nothing can arrive any more that was sealed to an earlier key: the mirror has the present one, and this
   * device everything that the mirror got before it.
   */
  isSettled(): boolean
}

export interface PublicKeyParts extends Pick<Ports, 'clock' | 'log'> {
  readonly store: Pick<BookStore, 'newer' | 'records' | 'writes' | 'stamps' | 'ops' | 'settings'>
  readonly keychain: Pick<Keychain, 'publicHalf' | 'keyOfPair'>
  readonly agent: string
  readonly hasMirror: boolean
  readonly wrote: (changed: readonly Changed[]) => void
}

function liveRow(records: Pick<BookStore['records'], 'row'>) {
  const row = records.row(publicKeyId)
  return row?.kind === publicKeyKind.name && row.deleted === 0 ? row : undefined
}

/** What the record of these records says; undefined where there is none. */
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
    ops.hurry(row.seq)
  }

  return {
    read,
    async publish(how) {
      const own = keychain.publicHalf()
      if (!own || !hasMirror || store.newer) return
      const isPut = await writes.write(() => {
        const known = read()
        const isOwn = known?.book === own.book && toBase64Url(known.publicKey) === toBase64Url(own.publicKey)
        const isStranger = known && keychain.keyOfPair(known.publicKey) === undefined
        if (isOwn || (isStranger && how === 'own')) return false
        put(own)
        return true
      })
      if (isPut) parts.wrote([{ id: publicKeyId, kind: publicKeyKind.name }])
    },
    isSettled() {
      if (!hasMirror) return true
      const row = live()
      if (!row) return keychain.publicHalf() === undefined
      return row.op === null && row.place > 0 && settings.getNumber('cursor') >= row.place
    },
  }
}
