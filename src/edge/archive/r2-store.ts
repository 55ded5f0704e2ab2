// Archives in a bucket of R2 that the edge is bound to. Invariants: those of S3's; a binding has no list of uploads, so each is
// noted before its first part leaves, and given up by the next archive if its object was thrown away meanwhile.
import { type AbortSignalLike, checkAborted, orAborted } from '../../core/abort.ts'
import type {
  ArchiveObject,
  ArchiveReading,
  ArchiveStore,
  UploadNote,
  UploadNotes,
} from '../../core/capability/port/archive-port.ts'
import { DaybookError, isDaybookError } from '../../core/errors.ts'
import { formatTime } from '../../core/time.ts'
import { type ArchivePart, archivePart, inParts } from '../../web/in-parts.ts'
import { utf8Texts } from '../../web/utf8-texts.ts'
import type { ArchiveBucket, BucketObject, BucketPart, BucketUpload } from './archive-bucket.ts'

export interface R2StoreParts {
  readonly bucket: ArchiveBucket
  readonly prefix: string
  readonly notes: UploadNotes
  /** Keys that one page of a list has. Default: as many as the platform gives, 1,000. */
  readonly pageKeys?: number
}

/** One object is bound to one bucket: the notes of it are of no other. */
const place = 'r2'

export class R2Store implements ArchiveStore {
  readonly name: string
  readonly prefix: string
  readonly #parts: R2StoreParts

  constructor(parts: R2StoreParts) {
    this.#parts = parts
    this.prefix = parts.prefix
    this.name = `r2:${parts.prefix}`.replace(/[:/]$/, '')
  }

  async put(key: string, texts: AsyncIterable<string>, signal: AbortSignalLike): Promise<number> {
    if (await this.stat(key, signal)) throw taken(key)
    const parts = inParts(texts)[Symbol.asyncIterator]()
    const first = await parts.next()
    if (first.done) throw new DaybookError('internal', 'There was nothing to put away.')
    if (!first.value.isLast) return this.#putInParts(key, first.value, parts, signal)
    const { bytes } = first.value
    const onlyIf = new Headers({ 'if-none-match': '*' })
    const there = await this.#ask(signal, (bucket) => bucket.put(key, bytes, { onlyIf }))
    if (!there) throw taken(key)
    checkSize(there, bytes.byteLength)
    return bytes.byteLength
  }

  async #putInParts(
    key: string,
    first: ArchivePart,
    rest: AsyncIterator<ArchivePart>,
    signal: AbortSignalLike,
  ): Promise<number> {
    const { notes } = this.#parts
    const upload = await this.#ask(signal, (bucket) => bucket.createMultipartUpload(key))
    const note: UploadNote = { place, key, upload: upload.uploadId }
    try {
      await notes.add(note)
      const done: BucketPart[] = []
      let size = 0
      for (let part: ArchivePart | undefined = first; part;) {
        done.push(await this.#putPart(upload, part, signal))
        size += part.bytes.byteLength
        const next: IteratorResult<ArchivePart> = part.isLast
          ? { done: true, value: undefined }
          : await rest.next()
        part = next.done ? undefined : next.value
      }
      // The end of an upload in parts takes no condition.
      if (await this.stat(key, signal)) throw taken(key)
      checkSize(await this.#ask(signal, () => upload.complete(done)), size)
      await notes.remove(note)
      return size
    } catch (error) {
      await rest.return?.().catch(() => undefined)
      await this.#giveUp(note).catch(() => undefined)
      throw error
    }
  }

  #putPart(
    upload: BucketUpload,
    { number, bytes }: ArchivePart,
    signal: AbortSignalLike,
  ): Promise<BucketPart> {
    if (number <= archivePart.count) return this.#ask(signal, () => upload.uploadPart(number, bytes))
    throw new DaybookError('too-large', 'The archive has more parts than the storage takes.', {
      details: { limitParts: archivePart.count },
    })
  }

  async stat(key: string, signal: AbortSignalLike): Promise<ArchiveObject | undefined> {
    const found = await this.#ask(signal, (bucket) => bucket.head(key))
    return found ? shown(key, found) : undefined
  }

  async *list(prefix: string, signal: AbortSignalLike): AsyncGenerator<ArchiveObject, void, undefined> {
    const { pageKeys } = this.#parts
    const limit = pageKeys === undefined ? {} : { limit: pageKeys }
    let page = await this.#ask(signal, (bucket) => bucket.list({ prefix, ...limit }))
    for (;;) {
      for (const object of page.objects) yield shown(object.key, object)
      const { truncated, cursor } = page
      if (!truncated || cursor === undefined) return
      page = await this.#ask(signal, (bucket) => bucket.list({ prefix, cursor, ...limit }))
    }
  }

  async read(key: string, signal: AbortSignalLike): Promise<ArchiveReading> {
    const found = await this.#ask(signal, (bucket) => bucket.get(key))
    if (!found) {
      throw new DaybookError('not-found', 'There is no archive of that key.', { details: { key } })
    }
    const { size: bytes, body } = found
    async function* chunks(): AsyncGenerator<Uint8Array, void, undefined> {
      let done = 0
      for await (const chunk of body) {
        checkAborted(signal)
        if (!(chunk instanceof Uint8Array)) throw failed('it gave something else than bytes')
        done += chunk.byteLength
        yield chunk
      }
      if (done !== bytes) throw failed('what was read was cut off')
    }
    return { bytes, texts: utf8Texts(chunks(), key) }
  }

  async remove(key: string, signal: AbortSignalLike): Promise<void> {
    await this.#ask(signal, (bucket) => bucket.delete(key))
  }

  async tidy(prefix: string, signal: AbortSignalLike): Promise<number> {
    checkAborted(signal)
    const left = (await this.#parts.notes.left()).filter(({ key }) => key.startsWith(prefix))
    for (const note of left) await this.#giveUp(note)
    return left.length
  }

  /** Ends an upload and forgets its note; one that is there no longer has ended. */
  async #giveUp(note: UploadNote): Promise<void> {
    const upload = this.#parts.bucket.resumeMultipartUpload(note.key, note.upload)
    await upload.abort().catch((error: unknown) => {
      if (!isNoUpload(error)) throw failed('an upload could not be given up', error)
    })
    await this.#parts.notes.remove(note)
  }

  /** A binding knows no signals: what was begun ends by itself, and is given up or found by the next archive. */
  async #ask<Answer>(
    signal: AbortSignalLike,
    work: (bucket: ArchiveBucket) => Promise<Answer>,
  ): Promise<Answer> {
    checkAborted(signal)
    try {
      return await orAborted(work(this.#parts.bucket), signal)
    } catch (error) {
      throw isDaybookError(error) ? error : failed('it failed', error)
    }
  }
}

/** R2's code for an upload that is not there (any more), as it stands in the messages of the binding. */
const isNoUpload = (error: unknown) => error instanceof Error && /\b10024\b|NoSuchUpload/.test(error.message)

const shown = (key: string, { size, uploaded }: BucketObject): ArchiveObject => ({
  key,
  bytes: size,
  modified_at: formatTime(uploaded.getTime()),
})

function checkSize({ size }: BucketObject, bytes: number): void {
  if (size !== bytes) throw failed('what is there has another size than was put')
}

const failed = (what: string, cause?: unknown) =>
  new DaybookError('archive-failed', `The bucket that archives go to: ${what}.`, {
    details: { place },
    ...(cause === undefined ? {} : { cause }),
  })

const taken = (key: string) =>
  new DaybookError('conflict', 'There is an archive of that key already; nothing was written over it.', {
    details: { key },
  })
