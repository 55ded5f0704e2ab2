// One bundle on its way in, piece by piece: opened, parsed, hashed, checked. Nothing of it is in the book before `end`.
import { type AbortSignalLike, checkAborted } from '../../core/abort.ts'
import { isUnderstood } from '../../core/capability/understood.ts'
import type { TransferPort } from '../../core/capability/context.ts'
import type { StagedRecord } from '../../core/capability/transfer.ts'
import { DaybookError } from '../../core/errors.ts'
import { checkJson } from '../../core/json/json.ts'
import type { Kind, Kinds } from '../../core/kind.ts'
import type { JsonObject } from '../../core/json/path.ts'
import type { Keyring } from '../../core/ports.ts'
import { parseWith } from '../../core/schema.ts'
import { canonicalTime } from '../../core/time.ts'
import { within, wrong } from './bundle-fault.ts'
import { type BundleReader, createBundleReader } from './bundle-reader.ts'
import { isSealedRecord, readSealed, sealedName } from './sealed-record.ts'
import { sealedFormat, signedText } from './bundle-shape.ts'
import type { BundleSummary, ReadRecord } from './read-bundle.ts'
import { createSealedReader, type SealedReader } from './sealed-text.ts'

export interface IntakeOptions {
  /** Kinds of which records are taken; all when absent. */
  readonly kinds: readonly Kind[] | undefined
  readonly passphrase: string | undefined
  /** The key that must have signed it. */
  readonly signedBy: string | undefined
  /** Takes guarded records too: they give whoever holds them rights in the book. */
  readonly includeGuarded?: boolean
  /** Takes a bundle that holds less than it says. */
  readonly allowIncomplete?: boolean
  /** The time of the call. */
  readonly now: string
  /** Called with records that are sound as far as can be told from themselves. */
  take(records: readonly StagedRecord[]): Promise<void>
}

export interface IntakeResult extends BundleSummary {
  readonly encrypted: boolean
  /** The key whose signature it bears. */
  readonly signedBy: string | undefined
}

export interface BundleIntake {
  push(text: string, signal: AbortSignalLike): Promise<void>
  end(signal: AbortSignalLike): Promise<IntakeResult>
}

/** Longer than any beginning that tells the two forms apart. */
const beginningLength = 64
const sealedBeginning = new RegExp(`^\\{\\s*"format"\\s*:\\s*"${sealedFormat}"`)

export function createBundleIntake(
  options: IntakeOptions,
  kinds: Kinds,
  { digest, cipher, keys }: Pick<TransferPort, 'digest' | 'cipher' | 'keys'>,
): BundleIntake {
  const wanted = options.kinds && new Set(options.kinds.map(({ name }) => name))
  let waiting = ''
  let source: { readonly reader: BundleReader; readonly sealed: SealedReader | undefined } | undefined
  const begin = () => {
    const isSealed = sealedBeginning.test(waiting)
    if (isSealed && options.passphrase === undefined) {
      throw new DaybookError('wrong-passphrase', 'The bundle is encrypted; its passphrase is wanted.', {
        details: { path: 'passphrase' },
      })
    }
    // Whoever can write to where it lies could put an open one there, which says what they like.
    if (!isSealed && options.passphrase !== undefined) {
      throw new DaybookError('not-encrypted', undefined, { details: { path: 'passphrase' } })
    }
    return {
      reader: createBundleReader({
        kinds,
        digest,
        now: options.now,
        allowIncomplete: options.allowIncomplete === true,
        wants: (kind) =>
          (!wanted || (!!kind && wanted.has(kind.name))) &&
          (kind?.guarded !== true || options.includeGuarded === true),
      }),
      sealed: isSealed ? createSealedReader(options.passphrase ?? '', cipher) : undefined,
    }
  }
  const take = async (records: readonly ReadRecord[]) => {
    if (records.length > 0) await options.take(records.map(prepare))
  }
  return {
    async push(text, signal) {
      checkAborted(signal)
      waiting += text
      // A byte order mark and white space are no part of what was said.
      if (!source) waiting = waiting.trimStart()
      if (!source && waiting.length < beginningLength) return
      source ??= begin()
      const piece = waiting
      waiting = ''
      const plain = source.sealed ? await source.sealed.push(piece) : piece
      await take(source.reader.push(plain))
    },
    async end(signal) {
      checkAborted(signal)
      const { reader, sealed } = (source ??= begin())
      const rest = sealed ? (await sealed.push(waiting)) + (await sealed.end()) : waiting
      await take(reader.push(rest))
      const { summary: whole, records } = reader.end()
      await take(records)
      const signedBy = await checkSignature(whole, options.signedBy, keys)
      return { ...whole, encrypted: sealed !== undefined, signedBy }
    },
  }
}

/** The key that signed, after its signature was found true; a false one is refused also where none is asked for. */
async function checkSignature(
  { integrity }: BundleSummary,
  wanted: string | undefined,
  keys: Pick<Keyring, 'verify'>,
): Promise<string | undefined> {
  const { checksum, public_key: key, signature } = integrity
  const refuse = (path: string, message: string) => wrong(`integrity.${path}`, message)
  if (key !== undefined && signature === undefined) throw refuse('signature', 'A signature goes with its key')
  // Another program's signature, without a key to hold it against, vouches for nothing.
  if (
    key !== undefined &&
    signature !== undefined &&
    !(await keys.verify(key, signedText(checksum), signature))
  )
    throw refuse('signature', 'The signature is not of this key and content')
  if (wanted !== undefined && key !== wanted)
    throw refuse(
      'public_key',
      key === undefined ? 'The bundle is not signed' : 'The bundle is signed by another key',
    )
  return key
}

/** A record as the book will hold it: its body as its kind reads it, times in canonical form. */
function prepare(read: ReadRecord): StagedRecord {
  const { kind, record, path } = read
  return within(path, () => {
    checkJson(record)
    const { id, created_at, updated_at, agent, session, resource, kind: _kind, ver: _ver, ...more } = record
    const { sensitivity: how, ...given } = more
    const sensitivity = how as StagedRecord['sensitivity']
    const isSealed = isSealedRecord(given)
    const body: object = isSealed
      ? { [sealedName]: readSealed(kind, given as JsonObject, sensitivity) }
      : bodyAsRead(read, given as JsonObject)
    const stored = {
      ...body,
      id,
      created_at: canonicalTime(String(created_at)),
      updated_at: canonicalTime(String(updated_at)),
      agent,
      session,
      resource,
      sensitivity,
    }
    return {
      id: String(id),
      kind: kind.name,
      text: JSON.stringify(stored),
      sensitivity: sensitivity ?? kind.sensitivity,
      ...(isSealed ? { isSealed } : {}),
    }
  })
}

/**
 * The body as its kind reads it. A body that does not fit was written by a newer Daybook and came by sync to the book that made
 * this bundle: it is taken as it is. In another program's bundle, and in a record that gives rights, it is a fault.
 */
function bodyAsRead({ kind, isOurs }: ReadRecord, given: JsonObject): JsonObject {
  if (isOurs && !kind.guarded && !isUnderstood(kind, given)) return given
  return parseWith(kind.schema, given, 'invalid-file') as JsonObject
}
