// The place of the keys of a book: beside its file, also when a link leads to the file. An earlier Daybook stored them
// beside the link.
// Invariant: keys are whole at their old or their new place at every moment, and no key is replaced by another one.
import { randomUUID } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fsyncSync,
  lstatSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import type { BookPath } from '../port/book-path.ts'
import { fileMode, isPlain, narrowBook } from '../port/private-file.ts'
import { keySuffix, vaultKeySuffix, vaultSuffix } from './key-turn.ts'

const signingKey = [keySuffix] as const
/** The vault comes last: without its key it opens nothing. */
const sealingKeys = [vaultKeySuffix, vaultSuffix] as const

/** The paths of a book to which the suffixes of its key files are added. */
export interface KeyPlace {
  readonly signing: string
  readonly sealing: string
}

/**
 * The places of the keys of a book. Call it with the book open: it moves keys from beside a link. Keys that differ from
 * those beside the file, or are links, stay beside the link and are used there.
 */
export function keyPlaceOf({ path, link }: BookPath): KeyPlace {
  if (link === undefined) return { signing: path, sealing: path }
  narrowBook(link)
  moveKeys(link, path)
  return {
    signing: hasOther(link, path, keySuffix) ? link : path,
    sealing: hasOther(link, path, vaultSuffix) ? link : path,
  }
}

/** Moves the key files of the book at `from` to `to`, except where `to` has other ones. On a failure they stay. */
export function moveKeys(from: string, to: string): void {
  for (const suffixes of [signingKey, sealingKeys]) {
    const found = suffixes.filter((suffix) => existsSync(from + suffix))
    if (!found.every((suffix) => mayMove(from + suffix, to + suffix))) continue
    try {
      for (const suffix of found) if (!existsSync(to + suffix)) copyKey(from + suffix, to + suffix)
      for (const suffix of found.toReversed()) rmSync(from + suffix)
    } catch {
      // The folder can't be written, or the disk is full.
    }
  }
}

/** Whether `link` has a key file, and it is not the one beside `path`. */
const hasOther = (link: string, path: string, suffix: string): boolean =>
  existsSync(link + suffix) &&
  !(existsSync(path + suffix) && realpathSync(link + suffix) === realpathSync(path + suffix))

/** Whether `to` is free, or has the same bytes in a file of its own. A link stays: it may lead to the other file. */
function mayMove(from: string, to: string): boolean {
  if (!isPlain(from)) return false
  if (!lstatSync(to, { throwIfNoEntry: false })) return true
  return isPlain(to) && readFileSync(to).equals(readFileSync(from))
}

function copyKey(from: string, to: string): void {
  const temporary = `${to}.${randomUUID()}`
  try {
    const file = openSync(temporary, 'wx', fileMode)
    try {
      writeFileSync(file, readFileSync(from))
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    renameSync(temporary, to)
  } finally {
    rmSync(temporary, { force: true })
  }
}
