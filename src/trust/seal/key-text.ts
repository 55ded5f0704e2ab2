// Keys for transfer to another device: one line of JSON, encrypted with a passphrase.
// Invariant: the text opens only for this book, and only unchanged.
import { z } from 'zod'
import { defined } from '../../core/defined.ts'
import { fromBase64, toBase64 } from '../../shape/encoded-bytes.ts'
import { DaybookError } from '../../core/errors.ts'
import type { Cipher, Random } from '../../core/ports.ts'
import { parseWith } from '../../core/schema.ts'
import {
  deriveGuardKey,
  guardShape,
  type BookKeys,
  newGuard,
  parseKeys,
  addBookNames,
  serializeKeys,
} from './key-vault.ts'

const format = 'daybook-keys'
/** Most characters of a key text: more than the keys of a book take in its lifetime. */
export const maxKeyTextLength = 100_000

const keyText = z.strictObject({
  format: z.literal(format),
  version: z.literal('1.0.0'),
  book: z.string().max(100),
  /** How the key derives from the passphrase: PBKDF2, its iterations and salt. Always by passphrase. */
  guard: guardShape,
  /** Nonce and ciphertext of the keys, in base64. */
  n: z.string().max(100),
  ct: z.string(),
})
type KeyText = z.output<typeof keyText>

const additionalDataOf = ({ book, guard }: Pick<KeyText, 'book' | 'guard'>) =>
  JSON.stringify([format, '1.0.0', book, guard])

export async function encryptKeyText(
  keys: BookKeys,
  book: string,
  passphrase: string,
  { cipher, random }: { readonly cipher: Cipher; readonly random: Random },
): Promise<string> {
  const guard = newGuard('passphrase', random)
  const key = await deriveGuardKey(guard, passphrase, cipher)
  const nonce = random.bytes(12)
  const ct = await key.seal(nonce, additionalDataOf({ book, guard }), serializeKeys(keys))
  const text: KeyText = { format, version: '1.0.0', book, guard, n: toBase64(nonce), ct: toBase64(ct) }
  return `${JSON.stringify(text)}\n`
}

/**
 * The keys in `text`, for a book with one of these names. Throws `invalid-input` for the keys of another book, and
 * for another text; `wrong-passphrase` for a wrong passphrase or a changed text.
 */
export async function decryptKeyText(
  text: string,
  books: readonly string[],
  passphrase: string,
  cipher: Cipher,
): Promise<BookKeys> {
  const parsed = parseWith(keyText, parseJson(text))
  if (!books.includes(parsed.book)) {
    const message = `These are the keys of the book \`${parsed.book}\`, but this is \`${books[0]}\`: sync with the mirror of that book first.`
    throw new DaybookError('invalid-input', `\`text\`: ${message}`, {
      details: { path: 'text.book', book: parsed.book },
    })
  }
  if (parsed.guard.by !== 'passphrase') throw notKeysError()
  const key = await deriveGuardKey(parsed.guard, passphrase, cipher)
  const nonce = fromBase64(parsed.n)
  const ct = fromBase64(parsed.ct)
  const plaintext =
    nonce?.length === 12 && ct ? await key.open(nonce, additionalDataOf(parsed), ct) : undefined
  const keys = plaintext === undefined ? undefined : parseKeys(plaintext)
  if (keys) return addBookNames(keys, [parsed.book])
  throw new DaybookError('wrong-passphrase', 'Wrong passphrase, or the text was changed.')
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw notKeysError(cause)
  }
}

function notKeysError(cause?: unknown): DaybookError {
  return new DaybookError('invalid-input', '`text`: It does not contain the keys of a book.', {
    details: { path: 'text' },
    ...defined({ cause }),
  })
}
