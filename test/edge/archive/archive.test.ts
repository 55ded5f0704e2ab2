// Archives at the edge: the law of their place on a bucket of R2, the verbs in a Durable Object, and the alarm that calls them.
import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import { capabilityTable, kinds } from '../../../src/engine/capability-table.ts'
import { bookScope } from '../../../src/core/book.ts'
import type { UploadNotes } from '../../../src/core/capability/port/archive-port.ts'
import { sealedText } from '../../../src/core/sealed.ts'
import { bookTable } from '../../../src/book/book-table.ts'
import { createDaybook } from '../../../src/book/daybook.ts'
import { createLocalDoor } from '../../../src/doors/local-door.ts'
import { edgeArchivePlaces, edgeArchiveSchedule } from '../../../src/edge/archive/edge-archive.ts'
import { R2Store } from '../../../src/edge/archive/r2-store.ts'
import type { EdgeEnv } from '../../../src/edge/edge-env.ts'
import { createEngine } from '../../../src/engine/engine.ts'
import { openDoDatabase } from '../../../worker/do-database.ts'
import { Mirror } from '../../../worker/mirror-object.ts'
import { createObjectUploadNotes } from '../../../worker/object-storage.ts'
import { workerPorts } from '../../../worker/worker-ports.ts'
import { archiveContract } from '../../contract/archive/book-archive.ts'
import { archiveStoreContract } from '../../contract/archive/archive-store.ts'
import { makeTrace } from '../../support/trace.ts'
import { newBook } from '../http/http.ts'
import { through } from '../object-door.ts'

const { TEST_ARCHIVE: bucket } = env as typeof env & { readonly TEST_ARCHIVE: R2Bucket }
const noNotes: UploadNotes = { add: () => undefined, remove: () => undefined, orphans: () => [] }

archiveStoreContract('R2', {
  open: (prefix, notes = noNotes) => new R2Store({ bucket, prefix, notes, pageKeys: 2 }),
  async isUnderWay({ key, upload }) {
    try {
      await bucket.resumeMultipartUpload(key, upload).uploadPart(9, new Uint8Array([1]))
      return true
    } catch (error) {
      if (error instanceof Error && /10024/.test(error.message)) return false
      throw error
    }
  },
})

archiveContract('a Durable Object, in R2', {
  async open(name) {
    const stub = env.MIRROR.getByName(newBook())
    const door = await runInDurableObject(stub, (_instance, { storage }) => {
      const engine = createEngine({
        db: openDoDatabase(storage),
        ports: workerPorts,
        name,
        scope: bookScope({ agent: 'contract' }),
        durability: 'durable-object',
        role: 'mirror',
        archives: edgeArchivePlaces(
          { ARCHIVE: bucket, DAYBOOK_ARCHIVE_PREFIX: '/kept/' },
          createObjectUploadNotes(storage),
        ),
      })
      return createLocalDoor(engine, workerPorts.scheduler)
    })
    return createDaybook(through(stub, door), bookTable(capabilityTable, kinds), globalThis)
  },
  read: async (key) => (await bucket.get(key))?.text(),
  write: async (key, text) => void (await bucket.put(key, text)),
})

/**
 * A mirror with settings of its own, on the storage of a new book. Its alarms are for the test to ring: the object that the
 * platform would wake has none of these settings.
 */
function withMirror(
  settings: Partial<EdgeEnv>,
  work: (name: string, mirror: Mirror, storage: DurableObjectStorage) => Promise<void>,
): Promise<void> {
  const name = newBook()
  return runInDurableObject(env.MIRROR.getByName(name), (_object, state) => {
    vi.spyOn(state.storage, 'setAlarm').mockResolvedValue(undefined)
    return work(name, new Mirror(state, { ...env, ...settings }), state.storage)
  })
}
async function call<Value>(mirror: Mirror, id: string, input: unknown): Promise<Value> {
  const outcome = await mirror.call(id, input, {})
  if (!outcome.ok) throw new Error(`${outcome.error.code}: ${outcome.error.message}`)
  return outcome.value as Value
}
const keysOf = async (name: string) =>
  (await bucket.list({ prefix: `daily/${name}/` })).objects.map(({ key }) => key)
const daily = {
  ARCHIVE: bucket,
  DAYBOOK_ARCHIVE_EVERY: 'daily',
  DAYBOOK_ARCHIVE_PREFIX: 'daily',
  DAYBOOK_ARCHIVE_KEEP: '2',
}

describe('archives of an edge', () => {
  it('are off where no bucket is bound', () =>
    withMirror({}, async (_name, mirror) => {
      await expect(call(mirror, 'archive:put', {})).rejects.toThrow(/^archive-off: /)
    }))

  it('are made again and again by the alarm, and as many stay as the settings say', () =>
    withMirror(daily, async (name, mirror, storage) => {
      await call(mirror, 'kstar:store_trace', makeTrace())
      const ring = async () => {
        storage.sql.exec("INSERT OR REPLACE INTO due_jobs (job, at_ms) VALUES ('tasks', 0)")
        await mirror.alarm()
        return (await keysOf(name)).length
      }
      expect(await ring()).toBe(1)
      for (const day of [1, 2]) {
        // A day has passed, which the next round was due on.
        storage.sql.exec(
          "UPDATE book SET value = json_set(value, '$.nextAt', ?) WHERE key = 'schedule:edge.archive'",
          `2026-01-0${day}T00:00:00.000Z`,
        )
        expect(await ring()).toBe(2)
      }
      const [{ at } = { at: 0 }] = storage.sql
        .exec<{ at: number }>("SELECT at_ms AS at FROM due_jobs WHERE job = 'tasks'")
        .toArray()
      expect(at).toBeGreaterThan(Date.now())
      expect(at).toBeLessThanOrEqual(Date.now() + 86_400_000)
      const [key = ''] = await keysOf(name)
      const bundle = await (await bucket.get(key))?.json<{ memory: { traces: unknown[] } }>()
      expect(bundle?.memory.traces).toHaveLength(1)
    }))

  it('give up the upload of an object that was thrown away in the middle', () =>
    withMirror(daily, async (name, mirror, storage) => {
      const key = `daily/${name}/cut`
      const upload = await bucket.createMultipartUpload(key)
      await upload.uploadPart(1, new Uint8Array(10))
      const { uploadId } = upload
      await createObjectUploadNotes(storage).add({ place: 'r2', key, upload: uploadId })
      await call(mirror, 'archive:put', {})
      await expect(
        bucket.resumeMultipartUpload(key, uploadId).uploadPart(2, new Uint8Array(1)),
      ).rejects.toThrow('10024')
      expect(await createObjectUploadNotes(storage).orphans()).toEqual([])
    }))

  it('hold sensitive records as they are sealed, which the mirror can’t read', () =>
    withMirror(daily, async (_name, mirror, storage) => {
      await call(mirror, 'kstar:store_trace', makeTrace())
      const sealed = sealedText({ alg: 'A256GCM', kid: 'sk-1', v: 1, n: 'AAAAAAAAAAAAAAAA', ct: 'c2VhbGVk' })
      storage.sql.exec(
        "UPDATE records SET kid = 'sk-1', sensitivity = 'sensitive', body = ? WHERE kind = 'trace'",
        sealed,
      )
      storage.sql.exec('DELETE FROM facets')
      const put = await call<{ key: string; records: number; sealed?: number }>(mirror, 'archive:put', {})
      expect([put.records, put.sealed]).toEqual([1, 1])
      expect(await (await bucket.get(put.key))?.text()).toContain('c2VhbGVk')
    }))
})

describe('settings of archives', () => {
  const rounds = (settings: Partial<EdgeEnv>) => {
    const told: unknown[] = []
    const found = edgeArchiveSchedule(
      { ARCHIVE: bucket, ...settings },
      { warn: (_message, details) => told.push(details?.['why']) },
    )
    return [found.map(({ every, input }) => [every, input]), told.length]
  }

  it.each([
    [{}, [], 0],
    [{ DAYBOOK_ARCHIVE_EVERY: 'daily' }, [['1d', {}]], 0],
    [{ DAYBOOK_ARCHIVE_EVERY: 'weekly', DAYBOOK_ARCHIVE_KEEP: '4' }, [['1w', { keep: 4 }]], 0],
    [{ DAYBOOK_ARCHIVE_EVERY: '12h', DAYBOOK_ARCHIVE_DAYS: '30' }, [['12h', { days: 30 }]], 0],
    [{ DAYBOOK_ARCHIVE_EVERY: '5m' }, [], 1],
    [{ DAYBOOK_ARCHIVE_EVERY: 'sometimes' }, [], 1],
    [{ DAYBOOK_ARCHIVE_EVERY: 'daily', DAYBOOK_ARCHIVE_KEEP: '0' }, [], 1],
    [{ DAYBOOK_ARCHIVE_EVERY: 'daily', DAYBOOK_ARCHIVE_PREFIX: '../x y' }, [], 1],
  ])('%o: %o, and says so when they are wrong', (settings, found, count) => {
    expect(rounds(settings)).toEqual([found, count])
  })

  it('that ask for archives without a bucket are told of', () => {
    const told: unknown[] = []
    expect(
      edgeArchiveSchedule({ DAYBOOK_ARCHIVE_EVERY: 'daily' }, { warn: (message) => told.push(message) }),
    ).toEqual([])
    expect(told).toHaveLength(1)
  })
})
