// Archives in an R2 bucket that is bound to the edge. A binding can't list unfinished uploads. So `put` stores a note
// before the first part, and the next archive aborts the upload if its Durable Object was evicted.
// Invariant: the law of `ArchiveStore` (core/capability/port/archive-port.ts) applies.
import { type AbortSignalLike, checkAborted, orAborted } from '../../core/abort.ts'
import type {
  ArchiveObject,
  ArchiveReading,
  ArchiveStore,
  UploadNote,
  UploadNotes,
} from '../../core/capability/port/archive-port.ts'
import { defined } from '../../core/defined.ts'
import { DaybookError, isDaybookError } from '../../core/errors.ts'
import { formatTime } from '../../core/time.ts'
import { type ArchivePart, archivePart, uploadParts, utf8Texts } from '../../web/upload-part.ts'

interface R2StoreDeps {
  readonly bucket: ArchiveBucket
  /** Prefix of the keys that callers pass: empty, or a path that ends with `/`. Methods don't add it. */
  readonly prefix: string
  readonly notes: UploadNotes
  /** Keys per page of a list. Default: 1,000, the default of R2. */
  readonly pageKeys?: number
}

/** The place in each note. A Durable Object has one bucket, so one name is enough. */
const placeName = 'r2'

export class R2Store implements ArchiveStore {
  readonly name: string
  readonly prefix: string
  readonly #deps: R2StoreDeps

  constructor(deps: R2StoreDeps) {
    this.#deps = deps
    this.prefix = deps.prefix
    this.name = `r2:${deps.prefix}`.replace(/[:/]$/, '')
  }

  async put(key: string, texts: AsyncIterable<string>, signal: AbortSignalLike): Promise<number> {
    if (await this.stat(key, signal)) throw keyTakenError(key)
    const parts = uploadParts(texts)[Symbol.asyncIterator]()
    const first = await parts.next()
    if (first.done) throw new DaybookError('internal', 'There is nothing to archive.')
    if (!first.value.isLast) return this.#putInParts(key, first.value, parts, signal)
    const { bytes } = first.value
    // Stores the object only if the key is free.
    const onlyIf = new Headers({ 'if-none-match': '*' })
    const stored = await this.#request(signal, (bucket) => bucket.put(key, bytes, { onlyIf }))
    if (!stored) throw keyTakenError(key)
    checkSize(stored, bytes.byteLength)
    return bytes.byteLength
  }

  async #putInParts(
    key: string,
    first: ArchivePart,
    remainingParts: AsyncIterator<ArchivePart>,
    signal: AbortSignalLike,
  ): Promise<number> {
    const { notes } = this.#deps
    const upload = await this.#request(signal, (bucket) => bucket.createMultipartUpload(key))
    const note: UploadNote = { place: placeName, key, upload: upload.uploadId }
    try {
      await notes.add(note)
      const uploadedParts: BucketPart[] = []
      let size = 0
      for (let part: ArchivePart | undefined = first; part;) {
        // Wait for it: the next part reuses the memory of this one.
        uploadedParts.push(await this.#putPart(upload, part, signal))
        size += part.bytes.byteLength
        const next: IteratorResult<ArchivePart> = part.isLast
          ? { done: true, value: undefined }
          : await remainingParts.next()
        part = next.done ? undefined : next.value
      }
      // R2 completes a multipart upload without a condition, so check for an existing object first.
      if (await this.stat(key, signal)) throw keyTakenError(key)
      checkSize(await this.#request(signal, () => upload.complete(uploadedParts)), size)
      await notes.remove(note)
      return size
    } catch (error) {
      await remainingParts.return?.().catch(() => undefined)
      await this.#abort(note).catch(() => undefined)
      throw error
    }
  }

  #putPart(
    upload: BucketUpload,
    { number, bytes }: ArchivePart,
    signal: AbortSignalLike,
  ): Promise<BucketPart> {
    if (number <= archivePart.count) return this.#request(signal, () => upload.uploadPart(number, bytes))
    throw new DaybookError('too-large', 'The archive has more parts than the bucket allows.', {
      details: { limitParts: archivePart.count },
    })
  }

  async stat(key: string, signal: AbortSignalLike): Promise<ArchiveObject | undefined> {
    const found = await this.#request(signal, (bucket) => bucket.head(key))
    return found ? toArchiveObject(key, found) : undefined
  }

  async *list(prefix: string, signal: AbortSignalLike): AsyncGenerator<ArchiveObject, void, undefined> {
    const { pageKeys } = this.#deps
    const limit = defined({ limit: pageKeys })
    let page = await this.#request(signal, (bucket) => bucket.list({ prefix, ...limit }))
    for (;;) {
      for (const object of page.objects) yield toArchiveObject(object.key, object)
      const { truncated, cursor } = page
      if (!truncated || cursor === undefined) return
      page = await this.#request(signal, (bucket) => bucket.list({ prefix, cursor, ...limit }))
    }
  }

  async read(key: string, signal: AbortSignalLike): Promise<ArchiveReading> {
    const found = await this.#request(signal, (bucket) => bucket.get(key))
    if (!found) {
      throw new DaybookError('not-found', 'There is no archive with that key.', { details: { key } })
    }
    const { size: bytes, body } = found
    async function* chunks(): AsyncGenerator<Uint8Array, void, undefined> {
      let readBytes = 0
      for await (const chunk of body) {
        checkAborted(signal)
        if (!(chunk instanceof Uint8Array)) throw bucketError('the object is not bytes')
        readBytes += chunk.byteLength
        yield chunk
      }
      if (readBytes !== bytes) throw bucketError('the object was cut off')
    }
    return { bytes, texts: utf8Texts(chunks(), key) }
  }

  async remove(key: string, signal: AbortSignalLike): Promise<void> {
    await this.#request(signal, (bucket) => bucket.delete(key))
  }

  async tidy(prefix: string, signal: AbortSignalLike): Promise<number> {
    checkAborted(signal)
    const abandoned = (await this.#deps.notes.orphans()).filter(({ key }) => key.startsWith(prefix))
    for (const note of abandoned) await this.#abort(note)
    return abandoned.length
  }

  /** Aborts an upload and removes its note. A missing upload is no error: it was completed or aborted. */
  async #abort(note: UploadNote): Promise<void> {
    const upload = this.#deps.bucket.resumeMultipartUpload(note.key, note.upload)
    await upload.abort().catch((error: unknown) => {
      if (!isNoUpload(error)) throw bucketError('an upload could not be aborted', error)
    })
    await this.#deps.notes.remove(note)
  }

  /** A binding takes no signal: after an abort, a started request still finishes, without anybody who waits for it. */
  async #request<Answer>(
    signal: AbortSignalLike,
    work: (bucket: ArchiveBucket) => Promise<Answer>,
  ): Promise<Answer> {
    checkAborted(signal)
    try {
      return await orAborted(work(this.#deps.bucket), signal)
    } catch (error) {
      throw isDaybookError(error) ? error : bucketError('the request failed', error)
    }
  }
}

/** True for R2's error about a missing upload. The binding states the code in its message. */
const isNoUpload = (error: unknown) => error instanceof Error && /\b10024\b|NoSuchUpload/.test(error.message)

const toArchiveObject = (key: string, { size, uploaded }: BucketObject): ArchiveObject => ({
  key,
  bytes: size,
  modifiedAt: formatTime(uploaded.getTime()),
})

function checkSize({ size }: BucketObject, bytes: number): void {
  if (size !== bytes) throw bucketError('the stored object has the wrong size')
}

const bucketError = (fault: string, cause?: unknown) =>
  new DaybookError('archive-failed', `Archive bucket: ${fault}.`, {
    details: { place: placeName },
    ...defined({ cause }),
  })

const keyTakenError = (key: string) =>
  new DaybookError('conflict', 'An archive with that key exists. Nothing was overwritten.', {
    details: { key },
  })

// The members of the R2 binding that this module uses.

interface BucketObject {
  readonly size: number
  readonly uploaded: Date
}

interface BucketPart {
  readonly partNumber: number
  readonly etag: string
}

interface BucketUpload {
  readonly uploadId: string
  uploadPart(number: number, bytes: Uint8Array<ArrayBuffer>): Promise<BucketPart>
  complete(parts: BucketPart[]): Promise<BucketObject>
  abort(): Promise<void>
}

export interface ArchiveBucket {
  head(key: string): Promise<BucketObject | null>
  get(key: string): Promise<(BucketObject & { readonly body: AsyncIterable<unknown> }) | null>
  /** Returns null if the condition is false. */
  put(
    key: string,
    bytes: Uint8Array<ArrayBuffer>,
    options: { readonly onlyIf: Headers },
  ): Promise<BucketObject | null>
  createMultipartUpload(key: string): Promise<BucketUpload>
  resumeMultipartUpload(key: string, upload: string): BucketUpload
  delete(key: string): Promise<void>
  list(options: { readonly prefix: string; readonly cursor?: string; readonly limit?: number }): Promise<{
    readonly objects: readonly (BucketObject & { readonly key: string })[]
    readonly truncated: boolean
    readonly cursor?: string
  }>
}
