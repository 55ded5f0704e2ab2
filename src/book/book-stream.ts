// Bundles as byte streams, over capabilities that exchange pieces of text.
// Invariant: an unfinished transfer is cancelled, so the engine stores nothing of it.
import { beginsBundle, maxFileLength } from '../bundle/format/detect-bundle.ts'
import { type AbortSignalLike, orAborted } from '../core/abort.ts'
import { DaybookError, invalidInput, isDaybookError } from '../core/errors.ts'

/** The global `ReadableStream` type, if the user's program has it. */
// eslint-disable-next-line no-restricted-globals -- the type of it only, in the program that uses this
export type ByteStream = typeof globalThis extends { ReadableStream: { prototype: infer Stream } }
  ? Stream
  : { cancel(reason?: unknown): Promise<void> }

type Chunk = string | Uint8Array

/** An import source: a text, its bytes, a file (`File`, `Blob`), a stream or an iterable of bytes or texts. */
export type ImportSource =
  | Chunk
  | ({ readonly name?: string; readonly lastModified?: number; readonly size?: number } & (
      { stream(): ReadableLike } | { text(): Promise<string> } | AsyncIterable<Chunk> | ReadableLike
    ))

interface ReadableLike {
  getReader(): {
    read(): Promise<{ readonly done: boolean; readonly value?: Chunk | undefined }>
    cancel(reason?: unknown): Promise<void>
  }
}

/** The used part of the web's stream globals; every host has them. */
export interface WebStreams {
  readonly ReadableStream: new (
    source: {
      pull(controller: { enqueue(chunk: Uint8Array): void; close(): void }): Promise<void>
      cancel(): Promise<void>
    },
    strategy: { highWaterMark: number },
  ) => unknown
  readonly TextEncoder: new () => { encode(text: string): Uint8Array }
  readonly TextDecoder: new (
    label: string,
    options: { fatal: true },
  ) => { decode(bytes?: Uint8Array, options?: { stream: boolean }): string }
}

/** Characters of one piece for the engine: large enough to need few calls, small enough to need little memory. */
const pieceLength = 262_144

/** Calls the verb of the transfer. */
type Ask<Answer> = (input: Record<string, unknown>) => Promise<Answer>

interface ExportPage {
  /** A part of the bundle's text. */
  readonly text: string
  /** Names the next page; absent on the last. */
  readonly cursor?: string | undefined
}

/**
 * Starts an export; each further page is fetched while the page before it is read. Rejects if the export can't start.
 */
export async function exportStream(
  web: WebStreams,
  ask: Ask<ExportPage>,
  options: Record<string, unknown>,
): Promise<ByteStream> {
  const encoder = new web.TextEncoder()
  let page = await ask(options)
  return new web.ReadableStream(
    {
      async pull(controller) {
        const { text, cursor } = page
        controller.enqueue(encoder.encode(text))
        if (cursor === undefined) return controller.close()
        page = await ask({ cursor })
      },
      async cancel() {
        const { cursor } = page
        if (cursor !== undefined) await ask({ cursor, cancel: true })
      },
    },
    // The reader's request alone calls `pull`: the stream buffers nothing itself.
    { highWaterMark: 0 },
  ) as ByteStream
}

/** Sends `texts` in pieces, the first with `options`; returns the result of the last. */
export async function sendPieces<Result>(
  ask: Ask<{ readonly cursor?: string | undefined; readonly result?: Result | undefined }>,
  options: Record<string, unknown>,
  texts: AsyncIterable<string>,
): Promise<Result> {
  // Names the transfer in the engine, from its first answer on.
  let cursor: string | undefined
  const send = async (text: string, more: boolean) => {
    const answer = await ask({ text, more, ...(cursor === undefined ? options : { cursor }) })
    cursor = answer.cursor
    return answer.result
  }
  try {
    // Each piece waits for the next, because only the last has `more: false`.
    let waiting: string | undefined
    for await (const piece of inPieces(texts)) {
      if (waiting !== undefined) await send(waiting, true)
      waiting = piece
    }
    const result = await send(waiting ?? '', false)
    if (result === undefined) throw new DaybookError('internal', 'The engine returned no result.')
    return result
  } catch (error) {
    if (cursor !== undefined) await ask({ text: '', cursor, cancel: true }).catch(() => undefined)
    throw error
  }
}

/** Joins texts and cuts them into pieces of `pieceLength`; the last may be shorter. */
async function* inPieces(texts: AsyncIterable<string>): AsyncGenerator<string> {
  let waiting = ''
  for await (const text of texts) {
    waiting += text
    let at = 0
    for (; waiting.length - at >= pieceLength; at += pieceLength) yield waiting.slice(at, at + pieceLength)
    waiting = waiting.slice(at)
  }
  if (waiting !== '') yield waiting
}

/** Throws `invalid-input` unless `source` can give a text, also for a locked stream. */
export function checkSource(source: unknown): void {
  if (typeof source === 'string') return
  const object = typeof source === 'object' && source !== null ? source : {}
  const isReadable =
    ['stream', 'text', 'getReader'].some((name) => name in object) ||
    Symbol.asyncIterator in object ||
    Symbol.iterator in object
  const isLocked = 'locked' in object && object.locked === true
  if (isReadable && !isLocked) return
  throw new DaybookError(
    'invalid-input',
    isLocked
      ? '`source`: Another reader has locked this stream.'
      : '`source`: Must be a text, its bytes, a File, Blob, stream or async iterable.',
    {
      details: { path: 'source' },
    },
  )
}

/** Throws `invalid-input` for bundle options, because the file is no bundle. */
export function checkFileOptions(options: Readonly<Record<string, unknown>>): void {
  for (const name of ['kinds', 'mode', 'passphrase', 'signedBy', 'decisions', 'includeTokens']) {
    // `merge` and `false` are the defaults of these options.
    if (options[name] === undefined || options[name] === 'merge' || options[name] === false) continue
    const path = `options.${name}`
    throw invalidInput(path, `This option is for bundles only, and this file is no bundle`)
  }
}

const isBytes = (source: object): source is Uint8Array => source instanceof Uint8Array

/** Yields the text of a source, which `signal` cancels. Bytes must be UTF-8, else `invalid-file`. */
export async function* sourceTexts(
  web: WebStreams,
  source: ImportSource,
  name: string,
  signal: AbortSignalLike,
): AsyncGenerator<string> {
  if (typeof source === 'string') return yield source
  if (!isBytes(source) && !('stream' in source) && 'text' in source) return yield await source.text()
  const decoder = new web.TextDecoder('utf-8', { fatal: true })
  const decode = (bytes?: Uint8Array) => {
    try {
      return bytes ? decoder.decode(bytes, { stream: true }) : decoder.decode()
    } catch (cause) {
      throw new DaybookError('invalid-file', `${name}: It is not UTF-8.`, {
        details: { file: name, path: '' },
        cause,
      })
    }
  }
  const stream = !isBytes(source) && 'stream' in source ? source.stream() : source
  for await (const chunk of chunksOf(stream, signal)) {
    if (typeof chunk !== 'string' && !ArrayBuffer.isView(chunk))
      throw new DaybookError('invalid-input', `${name}: each part of a source must be text or bytes.`, {
        details: { path: 'source' },
      })
    yield typeof chunk === 'string' ? chunk : decode(chunk)
  }
  yield decode()
}

async function* chunksOf(
  source: Uint8Array | AsyncIterable<Chunk> | ReadableLike,
  signal: AbortSignalLike,
): AsyncGenerator<Chunk> {
  if (isBytes(source)) return yield source
  if (!('getReader' in source)) return yield* source
  const reader = source.getReader()
  const cancel = () => void reader.cancel(signal.reason).catch(() => undefined)
  signal.addEventListener('abort', cancel, { once: true })
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      if (value !== undefined) yield value
    }
  } finally {
    signal.removeEventListener('abort', cancel)
    // Also if the consumer stops early.
    await reader.cancel().catch(() => undefined)
  }
}

/**
 * Runs `work` with the texts of a source, and closes the source. Rejects as soon as `signal` aborts; an error of the source is
 * `invalid-input`.
 */
export async function withTexts<Result>(
  texts: AsyncGenerator<string>,
  signal: AbortSignalLike,
  work: (texts: AsyncGenerator<string>) => Promise<Result>,
): Promise<Result> {
  async function* limited(): AsyncGenerator<string> {
    for (;;) {
      const step = await orAborted(texts.next(), signal).catch((error: unknown) => {
        if (isDaybookError(error)) throw error
        throw invalidInput('source', `It could not be read: ${String(error)}`, { cause: error })
      })
      if (step.done === true) return
      yield step.value
    }
  }
  try {
    return await work(limited())
  } finally {
    // Closes a source that was not read to its end. After an abort, the source may never answer.
    const closed = texts.return(undefined).catch(() => undefined)
    if (!signal.aborted) await closed
  }
}

/** Returns the text of a file that is no bundle. Rejects with `too-large` beyond `maxFileLength`, and stops reading. */
export async function readText(texts: AsyncIterable<string>, name: string): Promise<string> {
  let text = ''
  for await (const piece of texts) {
    text += piece
    checkLength(text, name)
  }
  return text
}

function checkLength({ length }: string, name: string): void {
  if (length <= maxFileLength) return
  const message = `${name}: The file has more than ${maxFileLength.toLocaleString('en')} characters.`
  throw new DaybookError('too-large', message, {
    details: { file: name, path: '', limitCharacters: maxFileLength },
  })
}

/** Looks at the start of `texts`: returns whether it is a bundle, and the complete texts. */
export async function peekBundle(
  texts: AsyncIterator<string>,
  name: string,
): Promise<{ readonly isBundle: boolean; readonly texts: AsyncIterable<string> }> {
  let head = ''
  let isDone = false
  let isBundle: boolean | undefined
  // Tests again only when the text has doubled, so many small pieces cost little.
  for (let next = 1; isBundle === undefined && !isDone;) {
    const step = await texts.next()
    isDone = step.done === true
    if (!step.done) head += step.value
    if (head.length < next && !isDone) continue
    // Undefined: the text is too short to decide.
    isBundle = beginsBundle(head)
    next = head.length * 2
    // White space alone never decides: stop at the limit of other files.
    if (isBundle === undefined) checkLength(head, name)
  }
  async function* allTexts() {
    yield head
    if (!isDone) yield* { [Symbol.asyncIterator]: () => texts }
  }
  return { isBundle: isBundle === true, texts: allTexts() }
}
