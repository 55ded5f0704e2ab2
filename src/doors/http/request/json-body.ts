// The body of a request as JSON: plain or gzip, of limited size however small it came, and refused in one shape.
import type { MiddlewareHandler } from 'hono'
import { DaybookError, isDaybookError } from '../../../core/errors.ts'
import { isDeeper, jsonLimits } from '../../../core/json/json.ts'
import type { BookTypes } from '../../../edge/edge-env.ts'
import type { BodyPass } from '../../../edge/mirror-door.ts'

/** Most bytes of one body, after decompression, where nothing else is said. */
export const bodyLimitBytes = 1_000_000

type JsonInput<Given, Value> = { in: { json: Given }; out: { json: Value } }

/** As much as envelopes add to the nesting of what they carry. */
const levelsAround = 16

interface JsonBody<Value> {
  /** What the caller comes for, for the log of access. Default: the capability that the address names. */
  readonly capability?: string
  readonly parse: (value: unknown, text: string) => Value
  readonly limitBytes?: number
}

/**
 * Lets the caller in, then reads and parses the body, of at most `limitBytes`; `c.req.valid('json')` is what `parse` made of
 * it. An empty body is `undefined`.
 */
export function jsonBody<Given, Value = Given>({
  capability,
  parse,
  limitBytes = bodyLimitBytes,
}: JsonBody<Value>): MiddlewareHandler<BookTypes, string, JsonInput<Given, Value>> {
  return async (c, next) => {
    const pass = await c.get('book').enter(capability ?? c.req.param('id') ?? '')
    await withinPass(pass, async (refusing) => {
      const value = await refusing(async () => {
        const text = await readText(c.req.raw, limitBytes, pass)
        await pass?.turn()
        return parse(parseJson(text), text)
      })
      c.req.addValidatedData('json', value as object)
      await next()
      // The verb may find it wrong only now. The answer to that stands.
      if (isDaybookError(c.error, 'invalid-input')) await pass?.refuse().catch(() => undefined)
    })
  }
}

/** Runs `work` with `pass`; a body that `refusing` finds wrong is charged to the caller. */
export async function withinPass<Result>(
  pass: BodyPass | undefined,
  work: (refusing: <Value>(read: () => Promise<Value>) => Promise<Value>) => Promise<Result>,
): Promise<Result> {
  try {
    return await work(async (read) => {
      try {
        return await read()
      } catch (error) {
        await pass?.refuse()
        throw error
      }
    })
  } finally {
    pass?.end()
  }
}

/** The bytes of a body, of at most `limitBytes`: as they came, for a signature is about those. */
export async function readPlainBody(
  request: Request,
  limitBytes: number,
  pass?: BodyPass,
): Promise<Uint8Array<ArrayBuffer>> {
  const { headers, body } = request
  if (!body || headers.get('content-length') === '0') return new Uint8Array()
  if (Number(headers.get('content-length')) > limitBytes) throw tooLarge(limitBytes)
  return readBytes(body, { limitBytes, pass })
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

async function readText(request: Request, limitBytes: number, pass: BodyPass | undefined): Promise<string> {
  const { headers, body } = request
  if (!body || headers.get('content-length') === '0') return ''
  checkType(headers)
  if (Number(headers.get('content-length')) > limitBytes) throw tooLarge(limitBytes)
  const encoding = headers.get('content-encoding')?.trim().toLowerCase() ?? 'identity'
  const stream = decoded(body, encoding)
  return decodeText(await readBytes(stream, { limitBytes, pass, isDecoded: stream !== body }))
}

function decoded(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  encoding: string,
): ReadableStream<Uint8Array> {
  if (encoding === 'identity' || encoding === '') return body
  if (encoding !== 'gzip') throw wrong('content-encoding', '`gzip` or nothing is wanted')
  return body.pipeThrough(new DecompressionStream('gzip'), { preventCancel: true })
}

interface Reading {
  readonly limitBytes: number
  readonly pass: BodyPass | undefined
  readonly isDecoded?: boolean
}

/** Everything a stream gives, up to the limit: a few bytes of gzip can stand for gigabytes. */
async function readBytes(
  stream: ReadableStream<Uint8Array>,
  { limitBytes, pass, isDecoded = false }: Reading,
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
    try {
      if (size > limitBytes) throw tooLarge(limitBytes)
      pass?.hold(value.byteLength)
    } catch (error) {
      // What is left is the host's to read: a body that is cancelled ends its connection before the answer is read.
      if (isDecoded) await reader.cancel().catch(() => undefined)
      else reader.releaseLock()
      throw error
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

/** Refuses what is nested too deep before it is parsed, which would cost more than all else of the request. */
export function checkNesting(text: string): void {
  const depth = jsonLimits.depth + levelsAround
  if (isDeeper(text, depth)) throw wrong('body', `Nested deeper than ${depth}`)
}

function parseJson(text: string): unknown {
  checkNesting(text)
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
