// Archives in S3, R2 and what speaks their language. Invariants: an object appears whole, by one request, and only where there
// was none; an upload in parts is noted before its first part leaves, so that whoever comes later finds and ends it.
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
import { type ArchivePart, archivePart, inParts } from '../../../web/in-parts.ts'
import { utf8Texts } from '../../../web/utf8-texts.ts'
import { createS3Client, type S3Client, type S3Ports, type S3Request, unreachable } from './s3-client.ts'
import { readRefusal, s3Fault } from './s3-fault.ts'
import type { S3Place } from './s3-target.ts'
import { childOf, readXml, textOf, type XmlElement } from './strict-xml.ts'

export interface S3StoreParts {
  readonly place: S3Place
  readonly ports: S3Ports
  readonly notes?: UploadNotes | undefined
  /** Keys that one page of a list has. Default: as many as the storage gives, 1,000. */
  readonly pageKeys?: number
  readonly partBytes?: number
}

/** An upload that began so long ago and is there still was left behind, whoever began it. */
const staleMs = 86_400_000
/** An upload that failed is given up in this time, or found by the next. */
const giveUpMs = 15_000
const onlyNew = { 'if-none-match': '*' } as const

export class S3Store implements ArchiveStore {
  readonly name: string
  readonly prefix: string
  readonly #client: S3Client
  readonly #parts: S3StoreParts
  /** What notes of uploads call this bucket. */
  readonly #place: string

  constructor(parts: S3StoreParts) {
    this.#parts = parts
    this.#client = createS3Client(parts.place, parts.ports)
    this.name = this.#client.name
    this.prefix = parts.place.prefix
    this.#place = `${parts.place.endpoint}/${parts.place.bucket}`
  }

  async put(key: string, texts: AsyncIterable<string>, signal: AbortSignalLike): Promise<number> {
    // A storage that knows no conditions would write over it.
    if (await this.stat(key, signal)) throw this.#taken(key)
    const parts = inParts(texts, this.#parts.partBytes)[Symbol.asyncIterator]()
    const first = await parts.next()
    if (first.done) throw new DaybookError('internal', 'There was nothing to put away.')
    if (!first.value.isLast) return this.#putInParts(key, first.value, parts, signal)
    const { bytes } = first.value
    await this.#conditional(
      { method: 'PUT', key, body: bytes, headers: { 'content-type': fileType } },
      signal,
    )
    await this.#checkThere(key, bytes.byteLength, signal)
    return bytes.byteLength
  }

  async #putInParts(
    key: string,
    first: ArchivePart,
    rest: AsyncIterator<ArchivePart>,
    signal: AbortSignalLike,
  ): Promise<number> {
    const upload = await this.#begin(key, signal)
    const note = { place: this.#place, key, upload }
    try {
      await this.#parts.notes?.add(note)
      const tags: string[] = []
      let size = 0
      for (let part: ArchivePart | undefined = first; part;) {
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
      // What it read from is told that nobody reads on.
      await rest.return?.().catch(() => undefined)
      const deadline = createDeadline(neverAborted, this.#parts.ports, giveUpMs)
      await this.#giveUp(note, deadline.signal)
        .catch(() => undefined)
        .finally(deadline.end)
      throw error
    }
  }

  async #begin(key: string, signal: AbortSignalLike): Promise<string> {
    const begin: S3Request = {
      method: 'POST',
      key,
      query: { uploads: '' },
      headers: { 'content-type': fileType },
    }
    const { text } = await this.#client.text(begin, signal)
    const upload = textOf(this.#rootOf(text, 'InitiateMultipartUploadResult'), 'UploadId')
    if (upload) return upload
    throw this.#strange('it gave an upload no name')
  }

  async #putPart(
    { key, upload }: UploadNote,
    { number, bytes }: ArchivePart,
    signal: AbortSignalLike,
  ): Promise<string> {
    if (number > archivePart.count) {
      throw new DaybookError('too-large', 'The archive has more parts than the storage takes.', {
        details: { limitParts: archivePart.count },
      })
    }
    const query = { partNumber: String(number), uploadId: upload }
    const { headers } = await this.#client.text({ method: 'PUT', key, query, body: bytes }, signal)
    const tag = headers.get('etag')
    if (tag !== null && /^[\x21-\x7e]{1,200}$/.test(tag)) return tag
    throw this.#strange('it gave a part no tag')
  }

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
    // Some storages heed the condition where an object is put whole, and not here.
    if (await this.stat(key, signal)) throw this.#taken(key)
    try {
      const text = await this.#conditional(
        { method: 'POST', key, query: { uploadId: upload }, headers, body },
        signal,
      )
      // It answers 200 before it knows, and may say in the answer that it failed.
      const root = readXml(text.trim())
      if (root?.name !== 'CompleteMultipartUploadResult')
        throw s3Fault(
          readRefusal(200, text.trim(), () => null),
          this.name,
          key,
        )
    } catch (error) {
      if (isDaybookError(error, 'conflict') || isDaybookError(error, 'aborted')) throw error
      // The answer was lost, or what was asked for again had been done: what is there tells.
      const there = await this.stat(key, signal).catch(() => undefined)
      if (there?.bytes !== size) throw error
    }
    await this.#checkThere(key, size, signal)
  }

  /** Sends what must not write over anything, without the condition where the storage has no such thing. */
  async #conditional(request: S3Request, signal: AbortSignalLike): Promise<string> {
    const { key = '' } = request
    try {
      const headers = { ...request.headers, ...onlyNew }
      return (await this.#client.text({ ...request, headers }, signal)).text
    } catch (error) {
      if (!isDaybookError(error, 'archive-failed') || error.details['status'] !== 501) throw error
      if (await this.stat(key, signal)) throw this.#taken(key)
      return (await this.#client.text(request, signal)).text
    }
  }

  /** Looks whether what was put is what is there. */
  async #checkThere(key: string, bytes: number, signal: AbortSignalLike): Promise<void> {
    const there = await this.stat(key, signal)
    if (there?.bytes === bytes) return
    throw this.#strange(there ? 'what is there has another size than was put' : 'what was put is not there')
  }

  async stat(key: string, signal: AbortSignalLike): Promise<ArchiveObject | undefined> {
    try {
      const { headers } = await this.#client.text({ method: 'HEAD', key }, signal)
      const modified = parseTime(new Date(headers.get('last-modified') ?? '').toJSON() ?? '')
      return { key, bytes: Number(headers.get('content-length') ?? Number.NaN), ...modifiedField(modified) }
    } catch (error) {
      const { status } = isDaybookError(error) ? error.details : {}
      if (status === 404) return undefined
      // The answer to HEAD has no body, and so no name for what is wrong: that to a list has.
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
      if (token !== undefined && seen.has(token)) throw this.#strange('a list goes round in a circle')
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
    const noted = (await this.#parts.notes?.left()) ?? []
    const own = noted.filter(({ place, key }) => place === this.#place && key.startsWith(prefix))
    const stale = await this.#staleUploads(prefix, signal)
    const known = new Set(own.map(({ upload }) => upload))
    const all = [...own, ...stale.filter(({ upload }) => !known.has(upload))]
    for (const note of all) await this.#giveUp(note, signal)
    return all.length
  }

  /** Ends an upload and forgets its note; one that is there no longer has ended. */
  async #giveUp(note: UploadNote, signal: AbortSignalLike): Promise<void> {
    const { key, upload } = note
    try {
      await this.#client.text({ method: 'DELETE', key, query: { uploadId: upload } }, signal)
    } catch (error) {
      if (!isDaybookError(error) || error.details['status'] !== 404) throw error
    }
    await this.#parts.notes?.remove(note)
  }

  /** Uploads that nobody has noted here and that began long ago: of other machines, or of one that is no more. */
  async #staleUploads(prefix: string, signal: AbortSignalLike): Promise<UploadNote[]> {
    const before = this.#parts.ports.clock.now() - staleMs
    const text = await this.#client
      .text({ method: 'GET', query: { uploads: '', prefix } }, signal)
      .then((answer) => answer.text)
      // Some storages have no such list.
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

  #rootOf(text: string, name: string): XmlElement {
    const root = readXml(text)
    if (root?.name === name) return root
    throw this.#strange(`it answered something else than ${name}`)
  }

  #strange(what: string): DaybookError {
    return new DaybookError('archive-failed', `The storage of archives is not to be understood: ${what}.`, {
      details: { place: this.name },
    })
  }

  #taken(key: string): DaybookError {
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

const modifiedField = (ms: number | undefined) => (ms === undefined ? {} : { modified_at: formatTime(ms) })

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
