// An encrypted bundle: a line of parameters, then a line of base64 for each sealed chunk. The salt gives each
// bundle a new key, so counters serve as nonces.
// Invariant: a chunk opens only at its place and under its parameters, and the last chunk only as the last, so a
// cut, repeated or moved chunk does not open (STREAM: Hoang, Reyhanitabar, Rogaway and Vizár, "Online
// authenticated-encryption and its nonce-reuse misuse-resistance", 2015).
import { z } from 'zod'
import { fromBase64, toBase64 } from '../../shape/encoded-bytes.ts'
import { DaybookError } from '../../core/errors.ts'
import { isJsonObject } from '../../core/json/path.ts'
import { endOfPiece } from '../../core/text/text-pieces.ts'
import type { Cipher, Random, SealingKey } from '../../core/ports.ts'
import { parseWith } from '../../core/schema.ts'
import { bundleVersion, assertSupportedVersion, sealedFormat, cutOffError, withPath } from './bundle-shape.ts'

/** `min`: OWASP's minimum for PBKDF2-HMAC-SHA-256 (2023). `max`: a bound on the time to open a file. */
const iterations = { initial: 600_000, min: 600_000, max: 10_000_000 } as const
const saltBytes = 16
/** Most characters of a chunk before encryption. */
const maxChunkLength = 65_536
/** Most characters of a line. A chunk has at most 3 bytes per character, so about 262,000 in base64. */
const maxLineLength = 400_000

const encryptionParameters = z.strictObject({
  format: z.literal(sealedFormat),
  version: z.literal(bundleVersion),
  cipher: z.literal('AES-256-GCM'),
  kdf: z.literal('PBKDF2-HMAC-SHA-256'),
  iterations: z.number().int().min(iterations.min).max(iterations.max),
  salt: z.string().max(100),
})

/** Seals a stream of texts: yields the line of parameters, then each chunk with the line end before it. */
export async function* encryptText(
  pieces: AsyncIterable<string>,
  passphrase: string,
  ports: { readonly cipher: Cipher; readonly random: Random },
): AsyncGenerator<string, void, undefined> {
  const salt = ports.random.bytes(saltBytes)
  const parameterLine = JSON.stringify({
    format: sealedFormat,
    version: bundleVersion,
    cipher: 'AES-256-GCM',
    kdf: 'PBKDF2-HMAC-SHA-256',
    iterations: iterations.initial,
    salt: toBase64(salt),
  } satisfies z.output<typeof encryptionParameters>)
  const key = await ports.cipher.derive(passphrase, salt, iterations.initial)
  yield parameterLine
  let buffer = ''
  let chunkIndex = 0
  const seal = async (text: string, isLast: boolean) =>
    `\n${toBase64(await key.seal(nonceOf(chunkIndex++, isLast), parameterLine, text))}`
  for await (const piece of pieces) {
    buffer += piece
    // Seal only while more than a chunk is in the buffer, so that the last chunk is not empty.
    while (buffer.length > maxChunkLength) {
      const length = endOfPiece(buffer, maxChunkLength)
      yield await seal(buffer.slice(0, length), false)
      buffer = buffer.slice(length)
    }
  }
  yield await seal(buffer, true)
}

/** Opens an encrypted bundle that arrives in pieces. */
export class BundleDecrypter {
  readonly #passphrase: string
  readonly #cipher: Cipher
  #buffer = ''
  /** The previous line, not opened yet: it is the last one if no other line follows. */
  #previousLine: string | undefined
  /** Undefined until the first line was read. */
  #parameters: { readonly line: string; readonly key: SealingKey } | undefined
  #chunkIndex = 0

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
    let plaintext = ''
    for (let lineEnd = this.#buffer.indexOf('\n'); lineEnd >= 0; lineEnd = this.#buffer.indexOf('\n')) {
      plaintext += await this.#decryptPrevious(this.#buffer.slice(0, lineEnd))
      this.#buffer = this.#buffer.slice(lineEnd + 1)
    }
    if (this.#buffer.length > maxLineLength) throw damagedError()
    return plaintext
  }

  /** Opens the last chunk. Throws `incomplete-file` for a bundle without its end. */
  async end(): Promise<string> {
    const plaintext = await this.#decryptPrevious(this.#buffer)
    return plaintext + (await this.#decryptLine(this.#previousLine ?? '', true))
  }

  /**
   * Opens the previous line, if `text` is a line. Skips empty lines and spaces around lines, because editors and
   * mailers add them.
   */
  async #decryptPrevious(text: string): Promise<string> {
    const line = text.trim()
    if (line === '') return ''
    const plaintext =
      this.#previousLine === undefined ? '' : await this.#decryptLine(this.#previousLine, false)
    this.#previousLine = line
    return plaintext
  }

  async #decryptLine(line: string, isLast: boolean): Promise<string> {
    if (!this.#parameters) {
      if (isLast) throw cutOffError('line 2')
      this.#parameters = await deriveKey(line, this.#passphrase, this.#cipher)
      return ''
    }
    const { key, line: parameterLine } = this.#parameters
    const chunkIndex = this.#chunkIndex
    const ciphertext = fromBase64(line)
    const plaintext = ciphertext && (await key.open(nonceOf(chunkIndex, isLast), parameterLine, ciphertext))
    // The last line of the file opens as a middle chunk: the file was cut after it.
    if (
      plaintext === undefined &&
      ciphertext &&
      isLast &&
      (await key.open(nonceOf(chunkIndex, false), parameterLine, ciphertext))
    )
      throw cutOffError(`line ${chunkIndex + 3}`)
    if (plaintext === undefined) {
      const message =
        chunkIndex === 0
          ? 'Wrong passphrase, or the bundle was changed or cut short.'
          : `Part ${chunkIndex + 1} of the bundle was changed, cut off or moved. Get the file again.`
      throw new DaybookError('wrong-passphrase', message, { details: { path: `line ${chunkIndex + 2}` } })
    }
    this.#chunkIndex += 1
    return plaintext
  }
}

/** The key, and the parameters as `encryptText` spelled them: that line is additional data of each sealed chunk. */
async function deriveKey(
  text: string,
  passphrase: string,
  cipher: Cipher,
): Promise<{ readonly line: string; readonly key: SealingKey }> {
  const parsed = withPath('line 1', () =>
    parseWith(encryptionParameters, parseParameters(text), 'invalid-file'),
  )
  const { format, version, cipher: cipherName, kdf, iterations: count, salt } = parsed
  const bytes = fromBase64(salt)
  if (bytes?.length !== saltBytes) {
    throw new DaybookError('invalid-file', '`line 1.salt`: Must be 16 bytes in base64.', {
      details: { path: 'line 1.salt' },
    })
  }
  const parameterLine = JSON.stringify({ format, version, cipher: cipherName, kdf, iterations: count, salt })
  return { line: parameterLine, key: await cipher.derive(passphrase, bytes, count) }
}

function parseParameters(line: string): unknown {
  try {
    const value: unknown = JSON.parse(line)
    if (isJsonObject(value) && typeof value['version'] === 'string') assertSupportedVersion(value['version'])
    return value
  } catch (cause) {
    if (cause instanceof DaybookError) throw cause
    throw new DaybookError('invalid-file', '`line 1`: This is not JSON.', {
      details: { path: 'line 1' },
      cause,
    })
  }
}

/** Twelve bytes: the chunk's number in eleven, and 1 in the last byte for the last chunk. */
function nonceOf(chunkIndex: number, isLast: boolean): Uint8Array {
  const nonce = new Uint8Array(12)
  for (
    let i = 10, remaining = chunkIndex;
    i >= 0 && remaining > 0;
    i--, remaining = Math.floor(remaining / 256)
  )
    nonce[i] = remaining % 256
  nonce[11] = isLast ? 1 : 0
  return nonce
}

function damagedError(): DaybookError {
  return new DaybookError(
    'invalid-file',
    'The encrypted bundle was cut off or changed. Get the file again.',
    {
      details: { path: '' },
    },
  )
}
