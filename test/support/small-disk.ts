// A small file system of its own, for tests of a disk that is really full; only where this process may mount one.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** `ext4` is a file in a loop device: it gives space out later than it is asked for, as disks do. */
export type DiskType = 'tmpfs' | 'ext4'

/** Undefined where this machine can mount one. */
export function whyNoMount(type: DiskType = 'tmpfs'): string | undefined {
  if (process.platform !== 'linux') return `${process.platform} has no ${type}`
  try {
    mountDisk('1m', type).remove()
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

const run = (command: string, ...args: string[]) => execFileSync(command, args, { stdio: 'pipe' })

function mountOf(type: DiskType, size: string, path: string): void {
  if (type === 'tmpfs') return void run('mount', '-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', path)
  run('truncate', '-s', size.toUpperCase(), `${path}.img`)
  // Nothing of it is reserved for root.
  run('mkfs.ext4', '-q', '-F', '-m', '0', `${path}.img`)
  run('mount', '-o', 'loop', `${path}.img`, path)
  rmSync(join(path, 'lost+found'), { recursive: true })
}

/** Mounts a disk of `size`, as `mount` reads it. */
export function mountDisk(size: string, type: DiskType = 'tmpfs'): SmallDisk {
  const path = mkdtempSync(join(tmpdir(), 'daybook-disk-'))
  const clear = () => {
    rmSync(path, { recursive: true })
    rmSync(`${path}.img`, { force: true })
  }
  try {
    mountOf(type, size, path)
  } catch (error) {
    clear()
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
      run('umount', '-l', path)
      clear()
    },
  }
}
