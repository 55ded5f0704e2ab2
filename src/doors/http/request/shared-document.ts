// A JSON document with the same bytes for all callers, hashed and compressed once.
// Invariant: an answer that is not read yet contains no copy of the bytes.
import type { Context } from 'hono'

type Bytes = Uint8Array<ArrayBuffer>

export class SharedDocument {
  readonly #bytes: Bytes
  // Cache results, not promises: a Worker may cancel the work of a request when the request ends.
  #gzipped: Bytes | undefined
  #tag: string | undefined

  constructor(bytes: Bytes) {
    this.#bytes = bytes
  }

  async answer(c: Context): Promise<Response> {
    const tag = (this.#tag ??= await weakTagOf(this.#bytes))
    const headers = new Headers({
      'content-type': 'application/json',
      'cache-control': 'public, max-age=60',
      vary: 'Accept-Encoding',
      etag: tag,
    })
    if (listsTag(c.req.header('if-none-match'), tag)) return new Response(null, { status: 304, headers })
    const isZipped = acceptsGzip(c.req.header('accept-encoding'))
    const bytes = isZipped ? (this.#gzipped ??= await gzip(this.#bytes)) : this.#bytes
    headers.set('content-length', String(bytes.length))
    if (isZipped) headers.set('content-encoding', 'gzip')
    // Workers compress a body with `content-encoding` unless `encodeBody` says that it is compressed already.
    const init = { status: 200, headers, encodeBody: 'manual' }
    return new Response(lazyStream(bytes), init)
  }
}

/** Streams the bytes when they are read. A `Response` of bytes would copy them at once. */
function lazyStream(bytes: Bytes): ReadableStream<Bytes> {
  return new ReadableStream<Bytes>(
    {
      pull(controller) {
        controller.enqueue(bytes)
        controller.close()
      },
    },
    { highWaterMark: 0 },
  )
}

const acceptsGzip = (accepted = '') => /(?:^|,)\s*gzip\s*(?:,|$|;\s*q=(?:1|0\.\d*[1-9]))/i.test(accepted)

const listsTag = (tags: string | undefined, tag: string) =>
  tags !== undefined && tags.split(',').some((one) => one.trim() === tag || one.trim() === '*')

/** Returns a weak ETag, because the plain and the compressed answer share it. */
async function weakTagOf(bytes: Bytes): Promise<string> {
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
  return `W/"${Array.from(hash.subarray(0, 16), (byte) => byte.toString(16).padStart(2, '0')).join('')}"`
}

async function gzip(bytes: Bytes): Promise<Bytes> {
  return new Uint8Array(
    await new Response(lazyStream(bytes).pipeThrough(new CompressionStream('gzip'))).arrayBuffer(),
  )
}
