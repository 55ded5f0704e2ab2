// An encrypted bundle: one line of parameters, then one line of base64 for each sealed chunk. Invariant: a chunk opens
// only at its place, under these parameters, and the last only as the last (STREAM: Hoang, Reyhanitabar, Rogaway and
// Vizár, "Online authenticated-encryption and its nonce-reuse misuse-resistance", 2015), so what is cut, doubled or
// reordered does not open. The key is new for each bundle, by its salt, so counters can serve as nonces.
import { z } from 'zod'
import { fromBase64, toBase64 } from '../../shape/encoded-bytes.ts'
import { DaybookError } from '../../core/errors.ts'
import { isJsonObject } from '../../core/json/path.ts'
import type { Cipher, Random, SealingKey } from '../../core/ports.ts'
import { parseWith } from '../../core/schema.ts'
import { bundleVersion, checkNotNewer, sealedFormat } from './bundle-shape.ts'
import { cutOff, within } from './bundle-fault.ts'

/** OWASP's least for PBKDF2-HMAC-SHA-256 (2023), and the most that is worth anybody's time. */
const iterations = { written: 600_000, least: 600_000, most: 10_000_000 } as const
const saltBytes = 16
/** Characters of a chunk. */
const chunkLength = 65_536
/** More than a chunk's bytes take in base64. */
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
  let waiting = ''
  let n = 0
  const seal = async (text: string, isLast: boolean) =>
    `\n${toBase64(await key.seal(nonceOf(n++, isLast), line, text))}`
  for await (const piece of pieces) {
    waiting += piece
    // One character stays back: the last chunk is never empty for want of knowing that it is the last.
    while (waiting.length > chunkLength) {
      const length = isHighSurrogate(waiting.charCodeAt(chunkLength - 1)) ? chunkLength - 1 : chunkLength
      yield await seal(waiting.slice(0, length), false)
      waiting = waiting.slice(length)
    }
  }
  yield await seal(waiting, true)
}

export interface SealedReader {
  /** Takes a piece of the file; answers what it opens. Throws `wrong-passphrase` where a chunk does not open. */
  push(piece: string): Promise<string>
  /** Opens the last chunk. */
  end(): Promise<string>
}

export function createSealedReader(passphrase: string, cipher: Cipher): SealedReader {
  let waiting = ''
  /** The line before, which is the last one only if no other comes. */
  let before: string | undefined
  let head: { readonly line: string; readonly key: SealingKey } | undefined
  let n = 0
  const take = async (line: string, isLast: boolean): Promise<string> => {
    if (!head) {
      if (isLast) throw cutOff('line 2')
      head = await headOf(line, passphrase, cipher)
      return ''
    }
    const sealed = fromBase64(line)
    const opened = sealed && (await head.key.open(nonceOf(n, isLast), head.line, sealed))
    if (
      opened === undefined &&
      sealed &&
      isLast &&
      (await head.key.open(nonceOf(n, false), head.line, sealed))
    )
      throw cutOff(`line ${n + 3}`)
    if (opened === undefined) {
      throw new DaybookError(
        'wrong-passphrase',
        n === 0
          ? 'The bundle cannot be opened: another passphrase, or it was altered or cut short.'
          : `Part ${n + 1} of the bundle cannot be opened; it was altered, cut off or moved.`,
        { details: { path: `line ${n + 2}` } },
      )
    }
    n += 1
    return opened
  }
  /** Takes the line before this one, if this is one: editors and mailers add empty lines, and end them in their own way. */
  const pass = async (text: string): Promise<string> => {
    const line = text.trim()
    if (line === '') return ''
    const opened = before === undefined ? '' : await take(before, false)
    before = line
    return opened
  }
  return {
    async push(piece) {
      waiting += piece
      let opened = ''
      for (let end = waiting.indexOf('\n'); end >= 0; end = waiting.indexOf('\n')) {
        opened += await pass(waiting.slice(0, end))
        waiting = waiting.slice(end + 1)
      }
      if (waiting.length > lineLimit) throw cut()
      return opened
    },
    async end() {
      const opened = await pass(waiting)
      return opened + (await take(before ?? '', true))
    },
  }
}

/** The key, and the parameters in the one spelling that the chunks were sealed with. */
async function headOf(
  text: string,
  passphrase: string,
  cipher: Cipher,
): Promise<{ readonly line: string; readonly key: SealingKey }> {
  const given = within('line 1', () => parseWith(parameters, parse(text), 'invalid-file'))
  const { format, version, cipher: name, kdf, iterations: count, salt } = given
  const bytes = fromBase64(salt)
  if (bytes?.length !== saltBytes) {
    throw new DaybookError('invalid-file', '`line 1.salt`: 16 bytes of base64 are wanted.', {
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

/** Twelve bytes: the number of the chunk, and whether it is the last. */
function nonceOf(n: number, isLast: boolean): Uint8Array {
  const nonce = new Uint8Array(12)
  for (let i = 10, rest = n; i >= 0 && rest > 0; i--, rest = Math.floor(rest / 256)) nonce[i] = rest % 256
  nonce[11] = isLast ? 1 : 0
  return nonce
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00
}

function cut(): DaybookError {
  return new DaybookError('invalid-file', 'The encrypted bundle was cut off or altered.', {
    details: { path: '' },
  })
}
