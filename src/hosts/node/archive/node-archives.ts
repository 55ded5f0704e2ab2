// Opens the archives of a book in Node. A call, an option or the environment names the bucket, in this order.
import { isCode } from '../port/private-file.ts'
import type { ArchivePlaces, UploadNote, UploadNotes } from '../../../core/capability/port/archive-port.ts'
import { DaybookError } from '../../../core/errors.ts'
import { nodePorts } from '../port/node-ports.ts'
import type { S3Ports } from './s3-client.ts'
import { S3Store } from './s3-store.ts'
import { type S3Environment, s3Place, readS3Address } from './s3-target.ts'
import { basename, dirname, join } from 'node:path'
import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { z } from 'zod'

export interface ArchiveOptions {
  /** Default target of archives: `s3://bucket/path`. Default: `DAYBOOK_ARCHIVE` of the environment. */
  readonly target?: string
}

/** Clock, randomness and network of this process. */
export const s3Ports: S3Ports = {
  clock: nodePorts.clock,
  random: nodePorts.random,
  // Unlike the scheduler of `nodePorts`, this timer keeps the process alive.
  later(ms, task) {
    const timer = setTimeout(task, ms)
    return () => clearTimeout(timer)
  },
  fetch: (input, init) => globalThis.fetch(input, init),
}

/**
 * The archive targets of a book. `path`: the file of the book, beside which uploads are noted; undefined: no
 * notes. `env`: `DAYBOOK_ARCHIVE`, and the usual `AWS_` variables for keys, region and endpoint.
 */
export function nodeArchives(
  { target: usual }: ArchiveOptions,
  path: string | undefined,
  env: S3Environment = process.env,
): ArchivePlaces {
  return {
    // `usual`: the option of the book.
    open(target = usual ?? env.DAYBOOK_ARCHIVE) {
      if (!target) {
        throw new DaybookError(
          'archive-off',
          'No bucket for archives is set: set `DAYBOOK_ARCHIVE`, or give `target`.',
          {
            details: { path: 'target' },
          },
        )
      }
      return new S3Store({
        place: s3Place(target, env),
        ports: s3Ports,
        notes: path === undefined ? undefined : createUploadNotes(path),
      })
    },
  }
}

/** Whether a path of the command line is the address of an archive. */
export const isS3Address = (path: string): boolean => path.startsWith('s3://')

/**
 * Opens an archive for import or verification: its texts, with `name` and `size` in bytes. Rejects with
 * `not-found` if there is no such archive, and with `offline`.
 */
export async function openArchiveSource(address: string, signal: AbortSignal) {
  const { bucket, path } = readS3Address(address)
  const store = nodeArchives({ target: `s3://${bucket}` }, undefined).open()
  const { bytes, texts } = await store.read(path, signal)
  return Object.assign(texts, { name: basename(path), size: bytes })
}

const noteShape = z.object({
  host: z.string(),
  pid: z.number().int(),
  place: z.string(),
  key: z.string(),
  upload: z.string(),
})

/** Paths of the notes of this process's running uploads, of all books. */
const active = new Set<string>()

/**
 * Stores notes of uploads beside a book, in files `<path>.upload-<hex>` for their owner only, so that a later
 * process finds the uploads of a killed process.
 * Invariant: uploads of another running process are left alone; notes have no credentials.
 */
function createUploadNotes(path: string): UploadNotes {
  const start = `${basename(path)}.upload-`
  const folder = dirname(path)
  const files = new Map<string, string>()
  const read = (name: string) => {
    const file = join(folder, name)
    try {
      const { success, data } = noteShape.safeParse(JSON.parse(readFileSync(file, 'utf8')))
      return success ? [{ ...data, file }] : []
    } catch {
      // The uploading process deletes the note now, or was killed while writing it.
      return []
    }
  }
  const all = () =>
    readdirSync(folder)
      .filter((name) => name.startsWith(start))
      .flatMap(read)
  return {
    add(note) {
      const file = join(folder, start + randomBytes(8).toString('hex'))
      active.add(file)
      files.set(note.upload, file)
      writeFileSync(file, JSON.stringify({ host: hostname(), pid: process.pid, ...note }), {
        flag: 'wx',
        mode: 0o600,
      })
    },
    remove({ upload }) {
      const found = files.get(upload) ?? all().find((one) => one.upload === upload)?.file
      if (found === undefined) return
      active.delete(found)
      files.delete(upload)
      rmSync(found, { force: true })
    },
    orphans: () =>
      all()
        .filter((one) => one.host === hostname() && !active.has(one.file) && !isAlive(one.pid))
        .map(({ place, key, upload }): UploadNote => ({ place, key, upload })),
  }
}

function isAlive(pid: number): boolean {
  // `active` has all uploads of this process: another note with this pid is of an earlier process.
  if (pid === process.pid) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // `EPERM`: the process exists, and belongs to another user.
    return isCode(error, 'EPERM')
  }
}
