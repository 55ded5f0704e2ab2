// Implements `ArchiveStore` (core/capability/port/archive-port.ts) with S3, R2 and compatible stores.
// Invariants: an object is visible only when it is whole, and never overwrites another object. An upload in
// parts is noted before its first part is sent, so that a later process can cancel it.
import { type AbortSignalLike, createDeadline, neverAborted } from '../../../core/abort.ts'
import type {
  ArchiveObject,
  ArchiveReading,
  ArchiveStore,
  UploadNote,
  UploadNotes,
} from '../../../core/capability/port/archive-port.ts'
import { DaybookError, isDaybookError } from '../../../core/errors.ts'
import { formatTime, parseTime } from '../../../core/time.ts'
import { type ArchivePart, archivePart, uploadParts, utf8Texts } from '../../../web/upload-part.ts'
import { createS3Client, type S3Client, type S3Ports, type S3Request, unreachable } from './s3-client.ts'
import { readRefusal, s3Fault } from './s3-fault.ts'
import type { S3Place } from './s3-target.ts'
import { childOf, readXml, textOf, type XmlElement } from './strict-xml.ts'

export interface S3StoreParts {
  readonly place: S3Place
  readonly ports: S3Ports
  /** Notes of unfinished uploads that survive this process. Absent: no notes. */
  readonly notes?: UploadNotes | undefined
  /** Keys in a page of a list. Default: the storage's default, 1,000. */
  readonly pageKeys?: number
  /** Size of a part. Default: `archivePart.bytes`. */
  readonly partBytes?: number
}

/** An upload older than this counts as abandoned. */
const staleMs = 86_400_000
/** Longest time to cancel a failed upload. If it isn't cancelled then, the next `tidy` cancels it. */
const abortLimitMs = 15_000
/** The header with which the storage writes only a free key. */
const onlyNew = { 'if-none-match': '*' } as const

export class S3Store implements ArchiveStore {
  readonly name: string
  readonly prefix: string
  readonly #client: S3Client
  readonly #parts: S3StoreParts
  /** Endpoint and bucket, to recognize this bucket in notes of uploads. */
  readonly #place: string

  constructor(parts: S3StoreParts) {
    this.#parts = parts
    this.#client = createS3Client(parts.place, parts.ports)
    this.name = this.#client.name
    this.prefix = parts.place.prefix
    this.#place = `${parts.place.endpoint}/${parts.place.bucket}`
  }

  async put(key: string, texts: AsyncIterable<string>, signal: AbortSignalLike): Promise<number> {
    // Check first: a storage without conditional writes would overwrite the object.
    if (await this.stat(key, signal)) throw this.#exists(key)
    // Yields one part at least. `isLast` of the first: the archive fits into one request.
    const parts = uploadParts(texts, this.#parts.partBytes)[Symbol.asyncIterator]()
    const first = await parts.next()
    if (first.done) throw new DaybookError('internal', 'There was nothing to archive.')
    if (!first.value.isLast) return this.#putInParts(key, first.value, parts, signal)
    const { bytes } = first.value
    await this.#conditional(
      { method: 'PUT', key, body: bytes, headers: { 'content-type': fileType } },
      signal,
    )
    await this.#checkStored(key, bytes.byteLength, signal)
    return bytes.byteLength
  }

  async #putInParts(
    key: string,
    first: ArchivePart,
    rest: AsyncIterator<ArchivePart>,
    signal: AbortSignalLike,
  ): Promise<number> {
    const upload = await this.#startUpload(key, signal)
    const note = { place: this.#place, key, upload }
    try {
      await this.#parts.notes?.add(note)
      const tags: string[] = []
      let size = 0
      for (let part: ArchivePart | undefined = first; part;) {
        // Wait for it: the next part reuses the memory of this one.
        tags.push(await this.#putPart(note, part, signal))
        size += part.bytes.byteLength
        const next: IteratorResult<ArchivePart> = part.isLast
          ? { done: true, value: undefined }
          : await rest.next()
        part = next.done ? undefined : next.value
      }
      await this.#complete(note, tags, size, signal)
      await this.#parts.notes?.remove(note)
      return size
    } catch (error) {
      // End the source of the parts.
      await rest.return?.().catch(() => undefined)
      const deadline = createDeadline(neverAborted, this.#parts.ports, abortLimitMs)
      await this.#abortUpload(note, deadline.signal)
        .catch(() => undefined)
        .finally(deadline.end)
      throw error
    }
  }

  async #startUpload(key: string, signal: AbortSignalLike): Promise<string> {
    const begin: S3Request = {
      method: 'POST',
      key,
      query: { uploads: '' },
      headers: { 'content-type': fileType },
    }
    const { text } = await this.#client.text(begin, signal)
    const upload = textOf(this.#rootOf(text, 'InitiateMultipartUploadResult'), 'UploadId')
    if (upload) return upload
    throw this.#unexpected('an upload has no id')
  }

  /** Uploads a part; resolves with its tag, which the completion of the upload must name. */
  async #putPart(
    { key, upload }: UploadNote,
    { number, bytes }: ArchivePart,
    signal: AbortSignalLike,
  ): Promise<string> {
    if (number > archivePart.count) {
      throw new DaybookError('too-large', 'The archive has more parts than the storage accepts.', {
        details: { limitParts: archivePart.count },
      })
    }
    const query = { partNumber: String(number), uploadId: upload }
    const { headers } = await this.#client.text({ method: 'PUT', key, query, body: bytes }, signal)
    const tag = headers.get('etag')
    if (tag !== null && /^[\x21-\x7e]{1,200}$/.test(tag)) return tag
    throw this.#unexpected('a part has no tag')
  }

  /**
   * Completes an upload of `size` bytes; `tags`: of its parts, in order. Rejects with `conflict` if its key
   * has been taken meanwhile. Checks the stored object.
   */
  async #complete(
    { key, upload }: UploadNote,
    tags: readonly string[],
    size: number,
    signal: AbortSignalLike,
  ): Promise<void> {
    const listed = tags.map(
      (tag, at) => `<Part><PartNumber>${at + 1}</PartNumber><ETag>${escaped(tag)}</ETag></Part>`,
    )
    const body = new TextEncoder().encode(
      `<CompleteMultipartUpload xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${listed.join('')}</CompleteMultipartUpload>`,
    )
    const headers = { 'content-type': 'application/xml' }
    // Some storages check the condition only for uploads in one request.
    if (await this.stat(key, signal)) throw this.#exists(key)
    try {
      const text = await this.#conditional(
        { method: 'POST', key, query: { uploadId: upload }, headers, body },
        signal,
      )
      // The status is 200 even if the request fails: the body has the result.
      const root = readXml(text.trim())
      if (root?.name !== 'CompleteMultipartUploadResult')
        throw s3Fault(
          readRefusal(200, text.trim(), () => null),
          this.name,
          key,
        )
    } catch (error) {
      if (isDaybookError(error, 'conflict') || isDaybookError(error, 'aborted')) throw error
      // The answer was lost, or a repeated request failed because the first had succeeded: check the object.
      const there = await this.stat(key, signal).catch(() => undefined)
      if (there?.bytes !== size) throw error
    }
    await this.#checkStored(key, size, signal)
  }

  /**
   * Writes an object if the key is free; rejects with `conflict` otherwise. For a storage without conditional
   * writes it checks the key first.
   */
  async #conditional(request: S3Request, signal: AbortSignalLike): Promise<string> {
    const { key = '' } = request
    try {
      const headers = { ...request.headers, ...onlyNew }
      return (await this.#client.text({ ...request, headers }, signal)).text
    } catch (error) {
      // Status 501 (not implemented): the storage has no conditional writes.
      if (!isDaybookError(error, 'archive-failed') || error.details['status'] !== 501) throw error
      if (await this.stat(key, signal)) throw this.#exists(key)
      return (await this.#client.text(request, signal)).text
    }
  }

  /** Checks that the object exists and has `bytes`. Rejects with `archive-failed` otherwise. */
  async #checkStored(key: string, bytes: number, signal: AbortSignalLike): Promise<void> {
    const there = await this.stat(key, signal)
    if (there?.bytes === bytes) return
    throw this.#unexpected(there ? 'the stored archive has another size' : 'the stored archive is missing')
  }

  async stat(key: string, signal: AbortSignalLike): Promise<ArchiveObject | undefined> {
    try {
      const { headers } = await this.#client.text({ method: 'HEAD', key }, signal)
      const modified = parseTime(new Date(headers.get('last-modified') ?? '').toJSON() ?? '')
      return { key, bytes: Number(headers.get('content-length') ?? Number.NaN), ...modifiedField(modified) }
    } catch (error) {
      const { status } = isDaybookError(error) ? error.details : {}
      if (status === 404) return undefined
      // An answer to HEAD has no body and so no error code. Send a list request, whose error has a code.
      if (typeof status === 'number' && status < 500) {
        const query = { 'list-type': '2', 'max-keys': '1', prefix: key }
        await this.#client.text({ method: 'GET', query }, signal)
      }
      throw error
    }
  }

  async *list(prefix: string, signal: AbortSignalLike): AsyncGenerator<ArchiveObject, void, undefined> {
    const { pageKeys } = this.#parts
    const seen = new Set<string>()
    for (let token: string | undefined = ''; token !== undefined;) {
      const { text } = await this.#client.text(
        {
          method: 'GET',
          query: {
            'list-type': '2',
            prefix,
            ...(pageKeys === undefined ? {} : { 'max-keys': String(pageKeys) }),
            ...(token === '' ? {} : { 'continuation-token': token }),
          },
        },
        signal,
      )
      const page = this.#rootOf(text, 'ListBucketResult')
      yield* page.children.flatMap((one) => (one.name === 'Contents' ? listedObject(one, prefix) : []))
      token = textOf(page, 'IsTruncated') === 'true' ? textOf(page, 'NextContinuationToken') : undefined
      if (token !== undefined && seen.has(token)) throw this.#unexpected('a list repeats itself')
      seen.add(token ?? '')
    }
  }

  async read(key: string, signal: AbortSignalLike): Promise<ArchiveReading> {
    const { response, end } = await this.#client.ask({ method: 'GET', key }, signal)
    const bytes = Number(response.headers.get('content-length') ?? Number.NaN)
    const { host } = new URL(this.#parts.place.endpoint)
    async function* chunks(): AsyncGenerator<Uint8Array, void, undefined> {
      let done = 0
      try {
        for await (const chunk of response.body ?? []) {
          done += chunk.byteLength
          yield chunk
        }
      } catch (cause) {
        if (signal.aborted) throw new DaybookError('aborted', undefined, { cause: signal.reason })
        throw unreachable(host, cause)
      } finally {
        end()
      }
      if (done !== bytes) throw unreachable(host, new Error('The answer was cut off.'))
    }
    return { bytes, texts: utf8Texts(chunks(), key) }
  }

  async remove(key: string, signal: AbortSignalLike): Promise<void> {
    await this.#client.text({ method: 'DELETE', key }, signal).catch((error: unknown) => {
      if (!isDaybookError(error, 'not-found')) throw error
    })
  }

  async tidy(prefix: string, signal: AbortSignalLike): Promise<number> {
    const notes = (await this.#parts.notes?.orphans()) ?? []
    const own = notes.filter(({ place, key }) => place === this.#place && key.startsWith(prefix))
    const stale = await this.#staleUploads(prefix, signal)
    const ownIds = new Set(own.map(({ upload }) => upload))
    const all = [...own, ...stale.filter(({ upload }) => !ownIds.has(upload))]
    for (const note of all) await this.#abortUpload(note, signal)
    return all.length
  }

  /** Cancels an upload and deletes its note, also if the storage doesn't know the upload any more. */
  async #abortUpload(note: UploadNote, signal: AbortSignalLike): Promise<void> {
    const { key, upload } = note
    try {
      await this.#client.text({ method: 'DELETE', key, query: { uploadId: upload } }, signal)
    } catch (error) {
      if (!isDaybookError(error) || error.details['status'] !== 404) throw error
    }
    await this.#parts.notes?.remove(note)
  }

  /** Uploads older than `staleMs`, which other machines may have abandoned. */
  async #staleUploads(prefix: string, signal: AbortSignalLike): Promise<UploadNote[]> {
    const before = this.#parts.ports.clock.now() - staleMs
    const text = await this.#client
      .text({ method: 'GET', query: { uploads: '', prefix } }, signal)
      .then((answer) => answer.text)
      // Some storages don't support this list.
      .catch((error: unknown) => {
        if (isDaybookError(error, 'archive-failed') || isDaybookError(error, 'archive-denied'))
          return undefined
        throw error
      })
    if (text === undefined) return []
    return this.#rootOf(text, 'ListMultipartUploadsResult').children.flatMap((one): UploadNote[] => {
      const key = textOf(one, 'Key')
      const upload = textOf(one, 'UploadId')
      const begun = parseTime(textOf(one, 'Initiated') ?? '')
      if (one.name !== 'Upload' || !key?.startsWith(prefix) || !upload) return []
      return begun !== undefined && begun < before ? [{ place: this.#place, key, upload }] : []
    })
  }

  /** The root element of an answer; throws `archive-failed` unless it has this name. */
  #rootOf(text: string, name: string): XmlElement {
    const root = readXml(text)
    if (root?.name === name) return root
    throw this.#unexpected(`the answer is not ${name}`)
  }

  #unexpected(problem: string): DaybookError {
    return new DaybookError('archive-failed', `The archive storage gave an unexpected answer: ${problem}.`, {
      details: { place: this.name },
    })
  }

  #exists(key: string): DaybookError {
    return s3Fault({ status: 412, code: 'PreconditionFailed' }, this.name, key)
  }
}

const fileType = 'application/octet-stream'

function listedObject(one: XmlElement, prefix: string): ArchiveObject[] {
  const key = childOf(one, 'Key')?.text
  const bytes = Number(textOf(one, 'Size') ?? Number.NaN)
  if (!key?.startsWith(prefix) || !Number.isSafeInteger(bytes)) return []
  return [{ key, bytes, ...modifiedField(parseTime(textOf(one, 'LastModified') ?? '')) }]
}

const modifiedField = (ms: number | undefined) => (ms === undefined ? {} : { modifiedAt: formatTime(ms) })

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
