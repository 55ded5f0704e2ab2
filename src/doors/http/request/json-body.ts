// The body of a request as JSON: plain or gzip, of limited size however small it came, and refused in one shape.
import type { MiddlewareHandler } from 'hono'
import { DaybookError } from '../../../core/errors.ts'
import type { BookTypes } from '../../../edge/edge-env.ts'

/** Most bytes of one body, after decompression, where nothing else is said. */
export const bodyLimitBytes = 1_000_000

type JsonInput<Given, Value> = { in: { json: Given }; out: { json: Value } }

/**
 * Reads and parses the body, of at most `limitBytes`; `c.req.valid('json')` is what `parse` made of it. An empty body is
 * `undefined`.
 */
export function jsonBody<Given, Value = Given>(
  parse: (value: unknown, text: string) => Value,
  limitBytes = bodyLimitBytes,
): MiddlewareHandler<BookTypes, string, JsonInput<Given, Value>> {
  return async (c, next) => {
    const text = await readText(c.req.raw, limitBytes)
    c.req.addValidatedData('json', parse(parseJson(text), text) as object)
    await next()
  }
}

/** The bytes of a body, of at most `limitBytes`: as they came, for a signature is about those. */
export async function readPlainBody(request: Request, limitBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const { headers, body } = request
  if (!body || headers.get('content-length') === '0') return new Uint8Array()
  if (Number(headers.get('content-length')) > limitBytes) throw tooLarge(limitBytes)
  return readBytes(body, limitBytes)
}

/** What such a body says; an empty one is `undefined`. `invalid-input` for what is not JSON, or does not say that it is. */
export function parsePlainBody({ headers }: Pick<Request, 'headers'>, bytes: Uint8Array): unknown {
  if (bytes.byteLength === 0) return undefined
  checkType(headers)
  const encoding = headers.get('content-encoding')?.trim().toLowerCase() ?? 'identity'
  if (encoding !== 'identity' && encoding !== '') throw wrong('content-encoding', 'none is taken here')
  return parseJson(decodeText(bytes))
}

function checkType(headers: Headers): void {
  const type = headers.get('content-type') ?? ''
  if (!/^application\/json\s*(?:;|$)/i.test(type)) throw wrong('content-type', '`application/json` is wanted')
}

async function readText(request: Request, limitBytes: number): Promise<string> {
  const { headers, body } = request
  if (!body || headers.get('content-length') === '0') return ''
  checkType(headers)
  if (Number(headers.get('content-length')) > limitBytes) throw tooLarge(limitBytes)
  const encoding = headers.get('content-encoding')?.trim().toLowerCase() ?? 'identity'
  const stream = decoded(body, encoding)
  return decodeText(await readBytes(stream, limitBytes, stream !== body))
}

function decoded(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  encoding: string,
): ReadableStream<Uint8Array> {
  if (encoding === 'identity' || encoding === '') return body
  if (encoding !== 'gzip') throw wrong('content-encoding', '`gzip` or nothing is wanted')
  return body.pipeThrough(new DecompressionStream('gzip'), { preventCancel: true })
}

/** Everything a stream gives, up to the limit: a few bytes of gzip can stand for gigabytes. */
async function readBytes(
  stream: ReadableStream<Uint8Array>,
  limitBytes: number,
  isDecoded = false,
): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = []
  let size = 0
  const reader = stream.getReader()
  for (;;) {
    const { done, value } = await reader.read().catch((cause: unknown) => {
      throw wrong('body', 'The body could not be read to its end', cause)
    })
    if (done) break
    size += value.byteLength
    if (size > limitBytes) {
      // What is left is the host's to read: a body that is cancelled ends its connection before the answer is read.
      if (isDecoded) await reader.cancel().catch(() => undefined)
      else reader.releaseLock()
      throw tooLarge(limitBytes)
    }
    chunks.push(value)
  }
  const bytes = new Uint8Array(size)
  let at = 0
  for (const chunk of chunks) {
    bytes.set(chunk, at)
    at += chunk.byteLength
  }
  return bytes
}

function decodeText(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes)
  } catch (cause) {
    throw wrong('body', 'The body is not UTF-8', cause)
  }
}

function parseJson(text: string): unknown {
  try {
    return text.trim() === '' ? undefined : JSON.parse(text)
  } catch (cause) {
    // What the parser says repeats a piece of the body: it stays here.
    throw wrong('body', 'The body is not JSON', cause)
  }
}

function tooLarge(limitBytes: number): DaybookError {
  return new DaybookError('too-large', `The body is larger than ${limitBytes} bytes.`, {
    details: { limitBytes },
  })
}

function wrong(path: string, message: string, cause?: unknown): DaybookError {
  return new DaybookError('invalid-input', `\`${path}\`: ${message}.`, { details: { path }, cause })
}
