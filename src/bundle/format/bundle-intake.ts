// Reads a bundle that arrives in pieces: decrypts, parses, hashes and checks it. Apply no record before `end`
// resolves.
import { z } from 'zod'
import { type AbortSignalLike, checkAborted } from '../../core/abort.ts'
import { isUnderstood } from '../../core/capability/understood.ts'
import type { TransferPort } from '../../core/capability/context.ts'
import type { StagedRecord } from '../../core/capability/transfer.ts'
import { defined } from '../../core/defined.ts'
import { DaybookError } from '../../core/errors.ts'
import { checkJson } from '../../core/json/json.ts'
import type { Kind, Kinds } from '../../core/kind.ts'
import type { JsonObject } from '../../core/json/path.ts'
import type { Keyring } from '../../core/ports.ts'
import { parseWith } from '../../core/schema.ts'
import { canonicalTime } from '../../core/time.ts'
import {
  withPath,
  invalidBundle,
  isSealedRecord,
  parseSealedBody,
  sealedBodyField,
  sealedFormat,
  bundleSignedText,
} from './bundle-shape.ts'
import { BundleReader } from './bundle-reader.ts'
import type { BundleSummary, BundleRecord } from './incoming-bundle.ts'
import { BundleDecrypter } from './encrypted-bundle.ts'
import { sealed, sealedField } from '../../shape/field.ts'

export interface IntakeOptions {
  /** The kinds to take. Undefined: all. */
  readonly kinds: readonly Kind[] | undefined
  readonly passphrase: string | undefined
  /** The key that must have signed the bundle. Undefined: any key, or no signature. */
  readonly signedBy: string | undefined
  /** Takes records of kinds that grant rights, too. Default false. */
  readonly includeGrants?: boolean
  /** Accepts a bundle with fewer records than its statistics. Default false. */
  readonly allowIncomplete?: boolean
  /** The time of the call, as canonical UTC text. */
  readonly now: string
  /** Gets records that are valid on their own, while the bundle is read. */
  onRecords(records: readonly StagedRecord[]): Promise<void>
}

export interface IntakeResult extends BundleSummary {
  readonly encrypted: boolean
  /** The key of its valid signature; undefined without one. */
  readonly signedBy: string | undefined
}

/** Enough characters to recognise an encrypted bundle. A bundle is longer, so a shorter text waits for `end`. */
const minBeginningLength = 64
const encryptedBeginning = new RegExp(`^\\{\\s*"format"\\s*:\\s*"${sealedFormat}"`)

export class BundleIntake {
  readonly #options: IntakeOptions
  /** All kinds that this Daybook knows; `options.kinds` are those to take. */
  readonly #kinds: Kinds
  readonly #ports: Pick<TransferPort, 'digest' | 'cipher' | 'keys'>
  /** Text that arrived before there was enough to know whether the bundle is encrypted. */
  #buffer = ''
  /** Undefined until then. */
  #source: { readonly reader: BundleReader; readonly sealed: BundleDecrypter | undefined } | undefined

  constructor(options: IntakeOptions, kinds: Kinds, ports: Pick<TransferPort, 'digest' | 'cipher' | 'keys'>) {
    this.#options = options
    this.#kinds = kinds
    this.#ports = ports
  }

  /** Takes a piece of the file, and passes on the records that it completes. */
  async push(text: string, signal: AbortSignalLike): Promise<void> {
    checkAborted(signal)
    this.#buffer += text
    // Skip a byte order mark and white space.
    if (!this.#source) this.#buffer = this.#buffer.trimStart()
    if (!this.#source && this.#buffer.length < minBeginningLength) return
    this.#source ??= this.#openSource()
    const { reader, sealed } = this.#source
    const arrived = this.#buffer
    this.#buffer = ''
    await this.#passOn(reader.push(sealed ? await sealed.push(arrived) : arrived))
  }

  /** Ends the file, and passes on the last records. Throws for a bundle that is incomplete, changed or wrongly signed. */
  async end(signal: AbortSignalLike): Promise<IntakeResult> {
    checkAborted(signal)
    const { reader, sealed } = (this.#source ??= this.#openSource())
    const rest = sealed ? (await sealed.push(this.#buffer)) + (await sealed.end()) : this.#buffer
    await this.#passOn(reader.push(rest))
    const { summary, records } = reader.end()
    await this.#passOn(records)
    const signedBy = await checkSignature(summary, this.#options.signedBy, this.#ports.keys)
    return { ...summary, encrypted: sealed !== undefined, signedBy }
  }

  #openSource() {
    const { kinds, passphrase, now, allowIncomplete, includeGrants } = this.#options
    const { digest, cipher } = this.#ports
    const wantedKinds = kinds && new Set(kinds.map(({ name }) => name))
    const isSealed = encryptedBeginning.test(this.#buffer)
    if (isSealed && passphrase === undefined) {
      throw new DaybookError('wrong-passphrase', 'The bundle is encrypted. Give its passphrase.', {
        details: { path: 'passphrase' },
      })
    }
    // An attacker with write access to the file could replace it with an open bundle.
    if (!isSealed && passphrase !== undefined) {
      throw new DaybookError('not-encrypted', undefined, { details: { path: 'passphrase' } })
    }
    const reader = new BundleReader({
      kinds: this.#kinds,
      digest,
      now,
      allowIncomplete: allowIncomplete === true,
      wants: (kind) =>
        (!wantedKinds || (!!kind && wantedKinds.has(kind.name))) &&
        (kind?.grantsRights !== true || includeGrants === true),
    })
    return { reader, sealed: isSealed ? new BundleDecrypter(passphrase ?? '', cipher) : undefined }
  }

  async #passOn(records: readonly BundleRecord[]): Promise<void> {
    if (records.length > 0) await this.#options.onRecords(records.map(toStaged))
  }
}

/**
 * Verifies the signature, and returns its key; undefined without a key. Throws for a wrong signature, even if
 * no key is required.
 */
async function checkSignature(
  { integrity }: BundleSummary,
  requiredKey: string | undefined,
  keys: Pick<Keyring, 'verify'>,
): Promise<string | undefined> {
  const { checksum, public_key: key, signature } = integrity
  const signatureError = (path: string, message: string) => invalidBundle(`integrity.${path}`, message)
  if (key !== undefined && signature === undefined)
    throw signatureError('signature', 'A bundle with a key must have its signature')
  // A signature without a key proves nothing, so it is ignored.
  if (
    key !== undefined &&
    signature !== undefined &&
    !(await keys.verify(key, bundleSignedText(checksum), signature))
  )
    throw signatureError('signature', 'The signature does not fit the key and the content')
  if (requiredKey !== undefined && key !== requiredKey)
    throw signatureError(
      'public_key',
      key === undefined ? 'The bundle is not signed' : 'The bundle is signed by another key',
    )
  return key
}

/** A record as JSON for the upload: the body parsed by its kind, times in canonical form. The list gives its kind. */
function toStaged(bundleRecord: BundleRecord): StagedRecord {
  const { kind, record, path } = bundleRecord
  return withPath(path, () => {
    // The head is already checked by `bundleRecordHead` (incoming-bundle.ts). This checks the limits of JSON.
    checkJson(record)
    const {
      id,
      created_at,
      updated_at,
      agent,
      session,
      resource,
      kind: _kind,
      ver: _ver,
      ...restFields
    } = record
    const { sensitivity: rawSensitivity, trust, ...fields } = restFields
    const sensitivity = rawSensitivity as StagedRecord['sensitivity']
    const isSealed = isSealedRecord(fields)
    const body: object = isSealed
      ? { [sealedBodyField]: parseSealedBody(kind, fields as JsonObject, sensitivity) }
      : parseBody(bundleRecord, fields as JsonObject)
    const stored = {
      ...body,
      id,
      created_at: canonicalTime(String(created_at)),
      updated_at: canonicalTime(String(updated_at)),
      agent,
      session,
      resource,
      sensitivity,
      trust,
    }
    return {
      id: String(id),
      kind: kind.name,
      text: JSON.stringify(stored),
      sensitivity: sensitivity ?? kind.sensitivity,
      ...(isSealed ? { isSealed } : {}),
      path,
    }
  })
}

/**
 * The body, parsed by its kind. In a bundle of this program, a body that does not fit came by sync from a newer
 * Daybook, and is taken unchanged. In another program's bundle, or in a record that grants rights, it is a fault.
 */
function parseBody({ kind, isOurs }: BundleRecord, body: JsonObject): JsonObject {
  if (isOurs && !kind.grantsRights && !isUnderstood(kind, body)) return body
  return parseWith(kind.schema, body, 'invalid-file') as JsonObject
}

const agent = z.object({ id: z.string(), type: z.string(), version: z.string() })
/** Output fields that describe a verified bundle. */
export const bundleDescription = {
  version: z.string(),
  exportedAt: z.string(),
  agent,
  checksum: z.string(),
  encrypted: z.boolean(),
  /** The public key of its valid signature, as a `did:key`. Decide yourself whether to trust the key. */
  signedBy: z.string().optional(),
  /** Number of records, by kind. */
  counts: z.record(z.string(), z.number()),
  /** Number of sealed records. Absent: 0. */
  sealed,
}

export function describeBundle(bundle: IntakeResult) {
  const {
    version,
    exported_at,
    agent: writingAgent,
    integrity,
    encrypted,
    signedBy,
    counts,
    schemas_used,
  } = bundle
  return {
    version,
    exportedAt: exported_at,
    agent: { id: writingAgent.id, type: writingAgent.type, version: writingAgent.version },
    checksum: integrity.checksum,
    encrypted,
    ...defined({ signedBy }),
    counts: { ...counts },
    ...sealedField(bundle.sealed),
    schemasUsed: [...schemas_used],
  }
}
