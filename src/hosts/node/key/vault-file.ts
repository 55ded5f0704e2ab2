// Stores the keys that seal a book in Node, in files beside the book that only their owner may read:
// `<book>.vault` has the keys; without a passphrase, `<book>.vault-key` has the key that encrypts them.
// Invariant: a file is replaced whole or not at all, no whole key of the device is replaced, and calls for one path in this
// process run one after another (key-turn.ts).
import { randomBytes, randomUUID } from 'node:crypto'
import { link, readdir, readFile, realpath, rename, stat, unlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { defined } from '../../../core/defined.ts'
import { sealingKeyOf } from '../../../web/web-cipher.ts'
import { DaybookError } from '../../../core/errors.ts'
import type { KeyVault, SealingKey } from '../../../core/ports.ts'
import { parseVault } from '../../../trust/seal/key-vault.ts'
import { isCode, openOwnFile } from '../port/private-file.ts'
import { runInTurn, vaultKeySuffix, vaultSuffix } from './key-turn.ts'

const keyBytes = 32

const parts = {
  subtle: crypto.subtle,
  encode: (text: string) => new TextEncoder().encode(text),
  decode: (bytes: Uint8Array) => new TextDecoder('utf-8', { fatal: true }).decode(bytes),
}

/**
 * The vault beside the book at `path`; undefined: in memory. Its calls reject with `storage-failed` if a file
 * can't be used.
 */
export function openNodeVault(path: string | undefined): KeyVault {
  if (path === undefined) {
    let stored: string | undefined
    const key = importKey(randomBytes(keyBytes))
    return {
      read: () => Promise.resolve(stored),
      write: (text) => Promise.resolve(void (stored = text)),
      deviceKey: () => key,
    }
  }
  const vault = path + vaultSuffix
  const vaultKey = path + vaultKeySuffix
  const inTurn = <Result>(work: () => Promise<Result>) => runInTurn(vault, work)
  let mayHaveCopies = true
  return {
    // As shown to a person.
    place: vault,
    // `form`: the text has an unknown format; else the device's key doesn't open it.
    unusable: (why) =>
      damaged(
        vault,
        vault,
        why === 'form'
          ? 'It is damaged, or a newer Daybook wrote it'
          : `It does not open with ${vaultKey}: one of the two is damaged or belongs to another book. If the book had another name, open it once by that name`,
      ),
    read: () =>
      inTurn(async () => {
        if (mayHaveCopies) for (const one of [vault, vaultKey]) await removeCopies(one)
        mayHaveCopies = false
        const text = (await readOwn(vault, vault))?.toString('utf8')
        if (text !== undefined && !isJson(text)) throw damaged(vault, vault, 'It is damaged')
        return text
      }),
    write: (text) => inTurn(() => replace(vault, Buffer.from(text, 'utf8'))),
    deviceKey: () =>
      inTurn(async () => {
        const existing = await readOwn(vaultKey, vault)
        if (existing?.length === keyBytes) return importKey(existing)
        const text = (await readOwn(vault, vault))?.toString('utf8')
        // No new key beside a vault that a former one guards: it couldn't open the vault.
        if (text !== undefined && parseVault(text)?.guard.by !== 'passphrase')
          throw damaged(vaultKey, vault, existing ? 'It is not whole' : 'It is missing')
        if (existing && text !== undefined)
          throw unusable(vaultKey, 'It is not whole. A passphrase guards the keys: delete this file')
        await replace(vaultKey, randomBytes(keyBytes), existing ? rename : renameIfFree)
        // The first key stays, also that of another process.
        const first = await readOwn(vaultKey, vault)
        if (first?.length !== keyBytes) throw unusable(vaultKey, 'It could not be written')
        return importKey(first)
      }),
  }
}

/**
 * Removes the copies that a killed process left beside a file of the vault: they would open with the key of the device after
 * a passphrase guards the vault.
 */
async function removeCopies(path: string): Promise<void> {
  for (const one of new Set([path, await targetOf(path)])) {
    const [folder, name] = [dirname(one), basename(one)]
    const files = await readdir(folder).catch(() => [])
    for (const file of files)
      if (file.startsWith(name) && /^\.[0-9a-f-]{36}$/.test(file.slice(name.length)))
        await unlink(join(folder, file)).catch(() => undefined)
  }
}

/** The file to which a link leads; the path itself without one. */
const targetOf = (path: string): Promise<string> => realpath(path).catch(() => path)

async function importKey(secret: Buffer): Promise<SealingKey> {
  const key = await crypto.subtle.importKey('raw', Uint8Array.from(secret), 'AES-GCM', false, [
    'encrypt',
    'decrypt',
  ])
  return sealingKeyOf(key, parts)
}

/** Reads a file of the vault at `vault`; undefined if it is missing. Throws if others may read it. */
async function readOwn(path: string, vault: string): Promise<Buffer | undefined> {
  try {
    const found = await stat(path)
    if (!found.isFile()) throw damaged(path, vault, 'It is not a file')
    const { mode } = found
    // Windows has no mode bits.
    if (process.platform !== 'win32' && (mode & 0o077) !== 0)
      throw unusable(path, `Others may read it (mode ${(mode & 0o777).toString(8)}); chmod 600 it`)
    return await readFile(path)
  } catch (cause) {
    if (isCode(cause, 'ENOENT')) return undefined
    if (cause instanceof DaybookError) throw cause
    throw damaged(
      path,
      vault,
      `It could not be read (${cause instanceof Error ? cause.message : String(cause)})`,
    )
  }
}

type Place = (from: string, to: string) => Promise<void>

/** Renames a file, or deletes it if `to` exists. */
async function renameIfFree(from: string, to: string): Promise<void> {
  try {
    // Unlike a rename, a link fails if another process has created the file.
    await link(from, to)
  } catch (error) {
    if (isCode(error, 'EEXIST')) return unlink(from)
    // This file system has no links.
    return rename(from, to)
  }
  await unlink(from)
}

/**
 * Replaces the file; behind a link the file to which it leads, so that no former keys stay there. `place` gives the new
 * file its name.
 */
async function replace(path: string, bytes: Buffer, place: Place = rename): Promise<void> {
  const target = await targetOf(path)
  const temporary = `${target}.${randomUUID()}`
  try {
    const file = await openOwnFile(temporary)
    try {
      await file.writeFile(bytes)
      await file.sync()
    } finally {
      await file.close()
    }
    await place(temporary, target)
  } catch (cause) {
    await unlink(temporary).catch(() => undefined)
    throw unusable(path, 'It could not be written', cause)
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/**
 * The error for lost or damaged keys: in the file `path`, of the vault at `vault`. Don't continue with new
 * keys: the user would not notice that older sealed records are unreadable.
 */
function damaged(path: string, vault: string, why: string): DaybookError {
  const message = `The keys that seal this book are in ${path}. ${why}. Restore it from a copy; or move ${vault} away: then the book opens, sealed records stay sealed, and \`seal.importKeys\` restores exported keys.`
  return DaybookError.from({ code: 'storage-failed', message, retry: false, details: { path } })
}

/** The error for a file that the user can make usable. It names the file and the reason, never the content. */
function unusable(path: string, why: string, cause?: unknown): DaybookError {
  return new DaybookError('storage-failed', `The keys that seal this book are in ${path}. ${why}.`, {
    details: { path },
    ...defined({ cause }),
    retry: false,
  })
}
