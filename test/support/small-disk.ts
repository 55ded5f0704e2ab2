// A small file system of its own, for tests of a disk that is really full; only where this process may mount one.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Undefined where this machine can mount one. */
export function whyNoMount(): string | undefined {
  if (process.platform !== 'linux') return `${process.platform} has no tmpfs`
  try {
    mountDisk('1m').remove()
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

export interface SmallDisk {
  /** Where it is mounted. */
  readonly path: string
  free(): number
  /** Another program takes everything that is left. */
  fillUp(): void
  /** And gives all of it back. */
  empty(): void
  remove(): void
}

/** Mounts a disk of `size`, as `mount` reads it. */
export function mountDisk(size: string): SmallDisk {
  const path = mkdtempSync(join(tmpdir(), 'daybook-disk-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', path], { stdio: 'pipe' })
  } catch (error) {
    rmSync(path, { recursive: true })
    throw error
  }
  const other = join(path, 'other')
  const free = () => {
    const { bavail, bsize } = statfsSync(path)
    return bavail * bsize
  }
  return {
    path,
    free,
    fillUp() {
      writeFileSync(other, '', { flag: 'a' })
      for (let size = free(); size > 0; size = free()) {
        try {
          writeFileSync(other, Buffer.alloc(size, 7), { flag: 'a' })
        } catch (error) {
          // Somebody else was faster; what there was is taken.
          if (!(error instanceof Error) || !('code' in error) || error.code !== 'ENOSPC') throw error
        }
      }
    },
    empty: () => rmSync(other, { force: true }),
    remove() {
      execFileSync('umount', ['-l', path])
      rmSync(path, { recursive: true })
    },
  }
}
