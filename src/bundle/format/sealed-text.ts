// An encrypted bundle: a line of parameters, then a line of base64 for each sealed chunk. The salt gives each
// bundle a new key, so counters serve as nonces.
// Invariant: a chunk opens only at its place and under its parameters, and the last chunk only as the last, so a
// cut, repeated or moved chunk does not open (STREAM: Hoang, Reyhanitabar, Rogaway and Vizár, "Online
// authenticated-encryption and its nonce-reuse misuse-resistance", 2015).
import { z } from 'zod'
import { fromBase64, toBase64 } from '../../shape/encoded-bytes.ts'
import { DaybookError } from '../../core/errors.ts'
import { isJsonObject } from '../../core/json/path.ts'
import type { Cipher, Random, SealingKey } from '../../core/ports.ts'
import { parseWith } from '../../core/schema.ts'
import { bundleVersion, checkNotNewer, sealedFormat, cutOff, within } from './bundle-shape.ts'

/** `least`: OWASP's minimum for PBKDF2-HMAC-SHA-256 (2023). `most`: a bound on the time to open a file. */
const iterations = { written: 600_000, least: 600_000, most: 10_000_000 } as const
const saltBytes = 16
/** Most characters of a chunk before encryption. */
const chunkLength = 65_536
/** Most characters of a line; a chunk takes fewer in base64. */
const lineLimit = 400_000

const parameters = z.strictObject({
  format: z.literal(sealedFormat),
  version: z.literal(bundleVersion),
  cipher: z.literal('AES-256-GCM'),
  kdf: z.literal('PBKDF2-HMAC-SHA-256'),
  iterations: z.number().int().min(iterations.least).max(iterations.most),
  salt: z.string().max(100),
})

/** Seals a stream of texts. */
export async function* sealText(
  pieces: AsyncIterable<string>,
  passphrase: string,
  ports: { readonly cipher: Cipher; readonly random: Random },
): AsyncGenerator<string, void, undefined> {
  const salt = ports.random.bytes(saltBytes)
  const line = JSON.stringify({
    format: sealedFormat,
    version: bundleVersion,
    cipher: 'AES-256-GCM',
    kdf: 'PBKDF2-HMAC-SHA-256',
    iterations: iterations.written,
    salt: toBase64(salt),
  } satisfies z.output<typeof parameters>)
  const key = await ports.cipher.derive(passphrase, salt, iterations.written)
  yield line
  let buffer = ''
  let n = 0
  const seal = async (text: string, isLast: boolean) =>
    `\n${toBase64(await key.seal(nonceOf(n++, isLast), line, text))}`
  for await (const piece of pieces) {
    buffer += piece
    // Seal only while more than a chunk is in the buffer, so that the last chunk is not empty.
    while (buffer.length > chunkLength) {
      const length = isHighSurrogate(buffer.charCodeAt(chunkLength - 1)) ? chunkLength - 1 : chunkLength
      yield await seal(buffer.slice(0, length), false)
      buffer = buffer.slice(length)
    }
  }
  yield await seal(buffer, true)
}

/** Opens an encrypted bundle that arrives in pieces. */
export class SealedReader {
  readonly #passphrase: string
  readonly #cipher: Cipher
  #buffer = ''
  /** The previous line. It is the last one if no other line follows. */
  #before: string | undefined
  #head: { readonly line: string; readonly key: SealingKey } | undefined
  #n = 0

  constructor(passphrase: string, cipher: Cipher) {
    this.#passphrase = passphrase
    this.#cipher = cipher
  }

  /**
   * Takes a piece of the file, and returns the text that it opens. Throws `wrong-passphrase` for a chunk that does
   * not open.
   */
  async push(piece: string): Promise<string> {
    this.#buffer += piece
    let opened = ''
    for (let end = this.#buffer.indexOf('\n'); end >= 0; end = this.#buffer.indexOf('\n')) {
      opened += await this.#pass(this.#buffer.slice(0, end))
      this.#buffer = this.#buffer.slice(end + 1)
    }
    if (this.#buffer.length > lineLimit) throw damaged()
    return opened
  }

  /** Opens the last chunk. Throws `incomplete-file` for a bundle without its end. */
  async end(): Promise<string> {
    const opened = await this.#pass(this.#buffer)
    return opened + (await this.#take(this.#before ?? '', true))
  }

  /**
   * Opens the previous line, if `text` is a line. Skips empty lines and spaces around lines, because editors and
   * mailers add them.
   */
  async #pass(text: string): Promise<string> {
    const line = text.trim()
    if (line === '') return ''
    const opened = this.#before === undefined ? '' : await this.#take(this.#before, false)
    this.#before = line
    return opened
  }

  async #take(line: string, isLast: boolean): Promise<string> {
    if (!this.#head) {
      if (isLast) throw cutOff('line 2')
      this.#head = await readHead(line, this.#passphrase, this.#cipher)
      return ''
    }
    const { key, line: head } = this.#head
    const n = this.#n
    const sealed = fromBase64(line)
    const opened = sealed && (await key.open(nonceOf(n, isLast), head, sealed))
    if (opened === undefined && sealed && isLast && (await key.open(nonceOf(n, false), head, sealed)))
      throw cutOff(`line ${n + 3}`)
    if (opened === undefined) {
      const message =
        n === 0
          ? 'Wrong passphrase, or the bundle was changed or cut short.'
          : `Part ${n + 1} of the bundle was changed, cut off or moved. Get the file again.`
      throw new DaybookError('wrong-passphrase', message, { details: { path: `line ${n + 2}` } })
    }
    this.#n += 1
    return opened
  }
}

/** The key, and the parameters in the spelling that the chunks were sealed with. */
async function readHead(
  text: string,
  passphrase: string,
  cipher: Cipher,
): Promise<{ readonly line: string; readonly key: SealingKey }> {
  const read = within('line 1', () => parseWith(parameters, parse(text), 'invalid-file'))
  const { format, version, cipher: name, kdf, iterations: count, salt } = read
  const bytes = fromBase64(salt)
  if (bytes?.length !== saltBytes) {
    throw new DaybookError('invalid-file', '`line 1.salt`: Must be 16 bytes in base64.', {
      details: { path: 'line 1.salt' },
    })
  }
  const line = JSON.stringify({ format, version, cipher: name, kdf, iterations: count, salt })
  return { line, key: await cipher.derive(passphrase, bytes, count) }
}

function parse(line: string): unknown {
  try {
    const value: unknown = JSON.parse(line)
    if (isJsonObject(value) && typeof value['version'] === 'string') checkNotNewer(value['version'])
    return value
  } catch (cause) {
    if (cause instanceof DaybookError) throw cause
    throw new DaybookError('invalid-file', '`line 1`: This is not JSON.', {
      details: { path: 'line 1' },
      cause,
    })
  }
}

/** Twelve bytes: the chunk's number, and 1 for the last chunk. */
function nonceOf(n: number, isLast: boolean): Uint8Array {
  const nonce = new Uint8Array(12)
  for (let i = 10, rest = n; i >= 0 && rest > 0; i--, rest = Math.floor(rest / 256)) nonce[i] = rest % 256
  nonce[11] = isLast ? 1 : 0
  return nonce
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00
}

function damaged(): DaybookError {
  return new DaybookError(
    'invalid-file',
    'The encrypted bundle was cut off or changed. Get the file again.',
    {
      details: { path: '' },
    },
  )
}
