// The text of a bundle as it is made, for whoever takes it on: an export that answers it page by page, an archive that
// puts it away. Invariant: it is the book as it stood when it was opened, and what is refused is refused before a word of it.
import { z } from 'zod'
import type { TaskContext } from '../core/capability/context.ts'
import { DaybookError } from '../core/errors.ts'
import { type Kinds, unknownKind } from '../core/kind.ts'
import type { Signer } from '../core/ports.ts'
import { canonicalTime } from '../core/time.ts'
import { exportedKinds, rangeOf } from './format/bundle-choice.ts'
import { signedText } from './format/bundle-shape.ts'
import { writeBundle } from './format/bundle-writer.ts'
import { product } from './format/product.ts'
import { sealText } from './format/sealed-text.ts'

const instant = z
  .string()
  .max(100)
  .refine((value) => canonicalTime(value) !== undefined, 'is not an ISO 8601 date or time')
export const kindNames = z.array(z.string().min(1).max(100)).min(1).max(100)
/** Short ones fall to a dictionary, whatever the iterations. */
export const passphrase = z.string().min(8).max(1024)

/** Which part of a book, and how it is written. */
export const bundleWish = {
  /** Kinds, by name (`trace`) or plural (`traces`). Default: all that are not guarded. */
  kinds: kindNames.optional(),
  /** When it happened: a date stands for its whole day. Definitions without a time are always included. */
  from: instant.optional(),
  to: instant.optional(),
  /** Encrypts the bundle. */
  passphrase: passphrase.optional(),
  /** Signs the bundle with the key of this book (Ed25519), so that others can tell who wrote it. */
  sign: z.boolean().optional(),
}

export interface BundleWish {
  readonly kinds?: readonly string[] | undefined
  readonly from?: string | undefined
  readonly to?: string | undefined
  readonly passphrase?: string | undefined
  readonly sign?: boolean | undefined
  readonly include_tokens?: boolean | undefined
  readonly include_sensitive?: boolean | 'sealed' | undefined
}

export interface BundleText {
  readonly pieces: AsyncGenerator<string, void, undefined>
  /** What the bundle says of when it was written; canonical UTC text. */
  readonly exportedAt: string
  readonly total: number
  /** How many of them go as they are sealed. */
  readonly sealed: number
  /** Records written so far. */
  done(): number
  /** What the bundle says of its content, once all of it is read. */
  checksum(): string | undefined
}

export async function openBundleText(
  wish: BundleWish,
  at: TaskContext<'records' | 'transfer'>,
  exportedAt: string = at.call.now,
): Promise<BundleText> {
  const signer = wish.sign ? await needSigner(at) : undefined
  const sensitive = wish.include_sensitive
  const kinds = exportedKinds(withUnknown(at), wish.kinds && [...wish.kinds], wish.include_tokens === true)
  const snapshot = at.records.snapshot({
    kinds: kinds.map(({ name }) => name),
    ...rangeOf(wish.from, wish.to, at.call.zone),
    sealed: sensitive !== false,
    unread: sensitive !== false,
    asSealed: sensitive === 'sealed',
  })
  if (snapshot.sealed > 0 && wish.passphrase === undefined && sensitive === undefined) {
    const message = `${snapshot.sealed} sensitive records would leave in clear: give a passphrase, or say with \`include_sensitive\` whether they are to be in an open bundle.`
    throw new DaybookError('invalid-input', message, {
      details: { path: 'include_sensitive', sensitive: snapshot.sealed },
    })
  }
  let written = 0
  let sum: string | undefined
  const plain = writeBundle({
    head: { exported_at: exportedAt, agent: { id: at.call.scope.agent, ...product } },
    // A book without marks has no list of them.
    kinds: kinds.filter(({ name, marks }) => marks === undefined || snapshot.counts.has(name)),
    snapshot,
    digest: at.transfer.digest.start(),
    async seal(checksum) {
      sum = checksum
      return signer
        ? { checksum, public_key: signer.key, signature: await signer.sign(signedText(checksum)) }
        : { checksum }
    },
    onRecords(done) {
      written = done
    },
  })
  return {
    pieces: wish.passphrase === undefined ? plain : sealText(plain, wish.passphrase, at.transfer),
    exportedAt,
    total: [...snapshot.counts.values()].reduce((all, count) => all + count, 0),
    sealed: sensitive === false ? 0 : snapshot.locked,
    done: () => written,
    checksum: () => sum,
  }
}

/** The kinds that a bundle may hold, and those of a later Daybook that the book has records of. */
function withUnknown({ records }: TaskContext<'records'>): Kinds {
  const unknown = records.unknownKinds().map((name) => [name, unknownKind(name)] as const)
  return new Map([...records.kinds, ...unknown])
}

async function needSigner({ transfer: { keys } }: TaskContext<'transfer'>): Promise<Signer> {
  const signer = await keys.signer()
  if (!signer) throw new DaybookError('signing-off')
  return signer
}
