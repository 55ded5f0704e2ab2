// The places that a book in Node has for its archives: buckets, by what the environment says when they are asked for.
import type { ArchivePlaces } from '../../../core/capability/port/archive-port.ts'
import { DaybookError } from '../../../core/errors.ts'
import { nodePorts } from '../port/node-ports.ts'
import type { S3Ports } from './s3-client.ts'
import { S3Store } from './s3-store.ts'
import { type S3Environment, s3Place } from './s3-target.ts'
import { createUploadNotes } from './upload-notes.ts'

export interface ArchiveOptions {
  /** Where archives go unless a call says otherwise: `s3://bucket/path`. Default: `DAYBOOK_ARCHIVE` of the environment. */
  readonly target?: string
}

/** The wall clock and network of this process. */
export const s3Ports: S3Ports = {
  clock: nodePorts.clock,
  random: nodePorts.random,
  // Not that of the ports: what waits for a storage keeps the process alive.
  later(ms, task) {
    const timer = setTimeout(task, ms)
    return () => clearTimeout(timer)
  },
  fetch: (input, init) => globalThis.fetch(input, init),
}

/** `path`: where the book lies, beside which uploads are noted. */
export function nodeArchives(
  { target: usual }: ArchiveOptions,
  path: string | undefined,
  env: S3Environment = process.env,
): ArchivePlaces {
  return {
    open(target = usual ?? env.DAYBOOK_ARCHIVE) {
      if (!target) {
        throw new DaybookError('archive-off', 'No place for archives was named.', {
          details: { path: 'target' },
        })
      }
      return new S3Store({
        place: s3Place(target, env),
        ports: s3Ports,
        notes: path === undefined ? undefined : createUploadNotes(path),
      })
    },
  }
}
