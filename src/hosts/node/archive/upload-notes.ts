// Notes of uploads beside a book, one file each, so that an upload whose process was killed is found by the next one.
// Invariant: what another process of this machine is still at work on is left alone; notes hold no credentials.
import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { z } from 'zod'
import type { UploadNote, UploadNotes } from '../../../core/capability/port/archive-port.ts'

const noted = z.object({
  host: z.string(),
  pid: z.number().int(),
  place: z.string(),
  key: z.string(),
  upload: z.string(),
})

/** What this process is at work on, by the files of its notes. */
const underWay = new Set<string>()

/** Notes are files named `<path>.upload-<hex>`, for their owner alone. */
export function createUploadNotes(path: string): UploadNotes {
  const start = `${basename(path)}.upload-`
  const folder = dirname(path)
  const files = new Map<string, string>()
  const read = (name: string) => {
    const file = join(folder, name)
    try {
      const { success, data } = noted.safeParse(JSON.parse(readFileSync(file, 'utf8')))
      return success ? [{ ...data, file }] : []
    } catch {
      // Its uploader removes it just now, or was cut while it wrote it.
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
      underWay.add(file)
      files.set(note.upload, file)
      writeFileSync(file, JSON.stringify({ host: hostname(), pid: process.pid, ...note }), {
        flag: 'wx',
        mode: 0o600,
      })
    },
    remove({ upload }) {
      const found = files.get(upload) ?? all().find((one) => one.upload === upload)?.file
      if (found === undefined) return
      underWay.delete(found)
      files.delete(upload)
      rmSync(found, { force: true })
    },
    left: () =>
      all()
        .filter((one) => one.host === hostname() && !underWay.has(one.file) && !isAlive(one.pid))
        .map(({ place, key, upload }): UploadNote => ({ place, key, upload })),
  }
}

function isAlive(pid: number): boolean {
  // Of this process all that is under way is known, by its file.
  if (pid === process.pid) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // It is there, and another user's.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
