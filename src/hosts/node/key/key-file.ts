// Stores the key pair with which a book signs (Ed25519) in Node: PKCS #8 in a file beside the book that only the
// file's owner may read, never in the database.
// Invariant: the first written key stays. The file is never partial: it gets its name by a link after it is
// flushed.
import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomUUID,
} from 'node:crypto'
import { link, readFile, stat, unlink } from 'node:fs/promises'
import { defined } from '../../../core/defined.ts'
import { DaybookError } from '../../../core/errors.ts'
import type { Keyring } from '../../../core/ports.ts'
import { createKeyring, type KeyPair } from '../../../trust/keyring.ts'
import { isCode, openOwnFile } from '../port/private-file.ts'
import { runInTurn } from './key-turn.ts'

type NodeCryptoKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>

const host = { subtle: crypto.subtle, encode: (text: string) => new TextEncoder().encode(text) }

/** The keyring of mirrors: it verifies signatures, and has no private key. */
export const verifyingKeyring: Keyring = createKeyring<NodeCryptoKey>(host)

/**
 * The keyring with its key in the file `path`; undefined: in memory. Its calls reject with `storage-failed`
 * if the file can't be used.
 */
export function openNodeKeyring(path: string | undefined): Keyring {
  return createKeyring<NodeCryptoKey>({
    ...host,
    getOrCreatePair: async () =>
      toPair(path === undefined ? makeKey() : await runInTurn(path, () => takeStoredKey(path))),
  })
}

const makeKey = (): KeyObject => generateKeyPairSync('ed25519').privateKey

/** Reads the key in the file, or makes one if the file is missing. */
async function takeStoredKey(path: string): Promise<KeyObject> {
  const existing = await readKey(path)
  if (existing) return existing
  const made = makeKey()
  const temporary = `${path}.${randomUUID()}`
  const file = await openOwnFile(temporary)
  try {
    await file.writeFile(made.export({ type: 'pkcs8', format: 'pem' }))
    await file.sync()
    await file.close()
    // Unlike a rename, a link fails if another process has created the file.
    await link(temporary, path)
    return made
  } catch (cause) {
    if (!isCode(cause, 'EEXIST')) throw unusable(path, 'It could not be written', cause)
    const first = await readKey(path)
    if (first) return first
    throw unusable(path, 'It was deleted meanwhile', cause)
  } finally {
    await file.close().catch(() => undefined)
    await unlink(temporary)
  }
}

async function readKey(path: string): Promise<KeyObject | undefined> {
  try {
    const { mode } = await stat(path)
    // Windows has no mode bits.
    if (process.platform !== 'win32' && (mode & 0o077) !== 0)
      throw unusable(path, `Others may read it (mode ${(mode & 0o777).toString(8)}); chmod 600 it`)
    const key = createPrivateKey(await readFile(path))
    if (key.asymmetricKeyType !== 'ed25519') throw unusable(path, 'It has no Ed25519 key')
    return key
  } catch (cause) {
    if (isCode(cause, 'ENOENT')) return undefined
    throw cause instanceof DaybookError ? cause : unusable(path, 'It has no key', cause)
  }
}

/** The key pair for signing. The private key can't be exported from it. */
async function toPair(key: KeyObject): Promise<KeyPair<NodeCryptoKey>> {
  const der = Uint8Array.from(key.export({ type: 'pkcs8', format: 'der' }))
  const { x = '' } = createPublicKey(key).export({ format: 'jwk' })
  return {
    publicKey: Uint8Array.from(Buffer.from(x, 'base64url')),
    privateKey: await crypto.subtle.importKey('pkcs8', der, 'Ed25519', false, ['sign']),
  }
}

/** The error names the file and the reason, never the content of the file. */
function unusable(path: string, why: string, cause?: unknown): DaybookError {
  return new DaybookError('storage-failed', `The key of this book is in ${path}. ${why}.`, {
    details: { path },
    ...defined({ cause }),
    retry: false,
  })
}
