// Reads request bodies as JSON, plain or gzip, and limits their size after decompression. `pass`: the request
// at the body gate, `BodyPass` in edge/mirror-door.ts; undefined on a host without a gate.
import type { MiddlewareHandler } from 'hono'
import { DaybookError, isDaybookError, invalidInput } from '../../../core/errors.ts'
import { isDeeper, jsonLimits } from '../../../core/json/json.ts'
import type { BookTypes } from '../../../edge/edge-env.ts'
import type { BodyPass } from '../../../edge/mirror-door.ts'

/** Default maximum of a body, in bytes after decompression: that of a record, and what is around it. */
export const maxBodyBytes = 2_100_000

type JsonInput<Sent, Value> = { in: { json: Sent }; out: { json: Value } }

/** Levels of nesting that a message, such as one of P3394, may add around the input of a capability. */
const maxEnvelopeDepth = 16

interface JsonBodyOptions<Value> {
  /** The capability that the body gate and the access log record. Default: the parameter `id` of the address. */
  readonly capability?: string
  /** Gets the body as JSON (undefined if it is empty) and as text. Throws for an invalid body. */
  readonly parse: (value: unknown, text: string) => Value
  readonly maxBytes?: number
}

/**
 * Middleware: admits the caller, then reads and parses the body. `c.req.valid('json')` is the result of `parse`.
 * `parse` gets `undefined` for an empty body.
 */
export function jsonBody<Sent, Value = Sent>({
  capability,
  parse,
  maxBytes = maxBodyBytes,
}: JsonBodyOptions<Value>): MiddlewareHandler<BookTypes, string, JsonInput<Sent, Value>> {
  return async (c, next) => {
    const pass = await c.get('book').enter(capability ?? c.req.param('id') ?? '')
    await withBodyPass(pass, async (chargeIfRefused) => {
      const value = await chargeIfRefused(async () => {
        const text = await readBodyText(c.req.raw, maxBytes, pass)
        // Parsing is expensive, so a caller with many bodies waits.
        await pass?.waitForTurn()
        return parse(parseJson(text), text)
      })
      c.req.addValidatedData('json', value as object)
      await next()
      // The verb refused the input: charge the body, and keep the verb's answer.
      if (isDaybookError(c.error, 'invalid-input')) await pass?.chargeRefusal().catch(() => undefined)
    })
  }
}

/**
 * Runs `work`, then ends `pass`. If the function that `work` passes to `chargeIfRefused` throws, the body is charged to
 * the caller. `pass` undefined: the host has no body gate.
 */
export async function withBodyPass<Result>(
  pass: BodyPass | undefined,
  work: (chargeIfRefused: <Value>(read: () => Promise<Value>) => Promise<Value>) => Promise<Result>,
): Promise<Result> {
  try {
    return await work(async (read) => {
      try {
        return await read()
      } catch (error) {
        await pass?.chargeRefusal()
        throw error
      }
    })
  } finally {
    pass?.release()
  }
}

/** Reads the bytes of a body without decompression, because signatures cover these bytes. Throws `too-large`. */
export async function readPlainBody(
  request: Request,
  limitBytes: number,
  pass?: BodyPass,
): Promise<Uint8Array<ArrayBuffer>> {
  const { headers, body } = request
  if (!body || headers.get('content-length') === '0') return new Uint8Array()
  if (Number(headers.get('content-length')) > limitBytes) throw tooLargeError(limitBytes)
  return readBytes(body, { limitBytes, pass })
}

/**
 * Parses the bytes of `readPlainBody`. Undefined: the body is empty. Throws `invalid-input` if the body or its
 * content type is not JSON, or the body is compressed.
 */
export function parsePlainBody({ headers }: Pick<Request, 'headers'>, bytes: Uint8Array): unknown {
  if (bytes.byteLength === 0) return undefined
  assertJsonType(headers)
  const encoding = headers.get('content-encoding')?.trim().toLowerCase() ?? 'identity'
  if (encoding !== 'identity' && encoding !== '')
    throw invalidInput('content-encoding', 'This address takes no encoding')
  return parseJson(decodeText(bytes))
}

function assertJsonType(headers: Headers): void {
  const type = headers.get('content-type') ?? ''
  if (!/^application\/json\s*(?:;|$)/i.test(type))
    throw invalidInput('content-type', 'Must be `application/json`')
}

async function readBodyText(
  request: Request,
  limitBytes: number,
  pass: BodyPass | undefined,
): Promise<string> {
  const { headers, body } = request
  if (!body || headers.get('content-length') === '0') return ''
  assertJsonType(headers)
  if (Number(headers.get('content-length')) > limitBytes) throw tooLargeError(limitBytes)
  const encoding = headers.get('content-encoding')?.trim().toLowerCase() ?? 'identity'
  const stream = decompress(body, encoding)
  return decodeText(await readBytes(stream, { limitBytes, pass, isDecompressed: stream !== body }))
}

function decompress(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  encoding: string,
): ReadableStream<Uint8Array> {
  if (encoding === 'identity' || encoding === '') return body
  if (encoding !== 'gzip') throw invalidInput('content-encoding', 'Must be `gzip` or absent')
  return body.pipeThrough(new DecompressionStream('gzip'), { preventCancel: true })
}

interface ReadOptions {
  readonly limitBytes: number
  readonly pass: BodyPass | undefined
  readonly isDecompressed?: boolean
}

/** Reads a stream up to the limit, because a few bytes of gzip can expand to gigabytes. Throws `too-large`. */
async function readBytes(
  stream: ReadableStream<Uint8Array>,
  { limitBytes, pass, isDecompressed = false }: ReadOptions,
): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = []
  let size = 0
  const reader = stream.getReader()
  for (;;) {
    const { done, value } = await reader.read().catch((cause: unknown) => {
      throw invalidInput('body', 'The body could not be read to its end', { cause })
    })
    if (done) break
    size += value.byteLength
    try {
      if (size > limitBytes) throw tooLargeError(limitBytes)
      pass?.reserve(value.byteLength)
    } catch (error) {
      // Don't cancel the request body itself: that closes the connection before the client reads the answer. The host
      // reads the rest.
      if (isDecompressed) await reader.cancel().catch(() => undefined)
      else reader.releaseLock()
      throw error
    }
    chunks.push(value)
  }
  const bytes = new Uint8Array(size)
  let offset = 0
  for (const chunk of chunks) {
    bytes.set(chunk, offset)
    offset += chunk.byteLength
  }
  return bytes
}

function decodeText(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes)
  } catch (cause) {
    throw invalidInput('body', 'The body is not UTF-8', { cause })
  }
}

/** Throws `invalid-input` for deep nesting, before an expensive parse. */
export function assertNesting(text: string): void {
  const depth = jsonLimits.depth + maxEnvelopeDepth
  if (isDeeper(text, depth)) throw invalidInput('body', `Nested deeper than ${depth}`)
}

function parseJson(text: string): unknown {
  assertNesting(text)
  try {
    return text.trim() === '' ? undefined : JSON.parse(text)
  } catch (cause) {
    // Hide the parser's message, because it quotes the body.
    throw invalidInput('body', 'The body is not JSON', { cause })
  }
}

function tooLargeError(limitBytes: number): DaybookError {
  return new DaybookError('too-large', `The body is larger than ${limitBytes} bytes.`, {
    details: { limitBytes },
  })
}
