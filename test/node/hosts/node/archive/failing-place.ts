// A place of archives behind a server that fails as it is told to, for one file of tests.
import { neverAborted } from '../../../../../src/core/abort.ts'
import type { UploadNote } from '../../../../../src/core/capability/port/archive-port.ts'
import { s3Ports } from '../../../../../src/hosts/node/archive/node-archives.ts'
import type { S3Ports } from '../../../../../src/hosts/node/archive/s3-client.ts'
import { S3Store } from '../../../../../src/hosts/node/archive/s3-store.ts'
import { type S3Environment, s3Place } from '../../../../../src/hosts/node/archive/s3-target.ts'
import { type Asked, startFailingS3 } from '../../../../support/server/failing-s3.ts'
import { startLocalS3 } from '../../../../support/server/local-s3.ts'

export async function* textOf(...texts: readonly string[]): AsyncGenerator<string> {
  yield* texts
}

/** How many come before it ends, or fails. */
export async function countOf(all: AsyncIterable<unknown>): Promise<number> {
  let count = 0
  for await (const one of all) count += one === undefined ? 0 : 1
  return count
}

/** Two parts. */
export const long = 'x'.repeat(8 * 1024 * 1024 + 100)
export const isPart = ({ method, url }: Asked) => method === 'PUT' && url.includes('partNumber=')
export const isEnd = ({ method, url }: Asked) => method === 'POST' && url.includes('uploadId=')

export async function openFailingPlace() {
  const s3 = await startLocalS3(1)
  const failing = await startFailingS3(s3.env.AWS_ENDPOINT_URL)
  const bucket = s3.bucket()
  const waits: number[] = []
  /** Pauses are noted, and over at once. */
  const ports: S3Ports = {
    ...s3Ports,
    later(ms, task) {
      // The time that giving up may take does not run out.
      if (ms === 15_000) return () => undefined
      waits.push(ms)
      const timer = setImmediate(task)
      return () => clearImmediate(timer)
    },
  }
  const open = (env: S3Environment = {}, more: Partial<S3Ports> = {}) => {
    const place = s3Place(`s3://${bucket}/p`, { ...s3.env, AWS_ENDPOINT_URL: failing.url, ...env })
    const noted: UploadNote[] = []
    const notes = {
      add: (note: UploadNote) => void noted.push(note),
      remove({ upload }: UploadNote) {
        const at = noted.findIndex((one) => one.upload === upload)
        if (at >= 0) noted.splice(at, 1)
      },
      orphans: () => [],
    }
    return { store: new S3Store({ place, ports: { ...ports, ...more }, notes }), noted }
  }
  let count = 0
  return {
    env: s3.env,
    ports,
    plan: failing.plan,
    asked: failing.asked,
    /** Pauses that were made. */
    waits,
    open,
    newKey: () => `p/key-${++count}`,
    put: (key: string, text: string) => open().store.put(key, textOf(text), neverAborted),
    isThere: async (key: string) => (await open().store.stat(key, neverAborted)) !== undefined,
    forget() {
      failing.plan(() => undefined)
      waits.length = 0
    },
    async close() {
      await failing.close()
      await s3.dispose()
    },
  }
}
