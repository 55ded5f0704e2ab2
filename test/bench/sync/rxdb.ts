// RxDB's HTTP replication as its documentation shows it, with pages as large as Daybook's.
import { createRxDatabase, type RxCollection, type RxJsonSchema } from 'rxdb/plugins/core'
import { replicateRxCollection } from 'rxdb/plugins/replication'
import { getRxStorageDexie } from 'rxdb/plugins/storage-dexie'
import type { BenchTrace } from '../peer.ts'
import { createIdSource } from '../trace-source.ts'
import type { SyncPeer } from './sync-peer.ts'

const schema = {
  version: 0,
  primaryKey: 'id',
  type: 'object',
  properties: {
    id: { type: 'string', maxLength: 64 },
    timestamp: { type: 'string', maxLength: 32 },
    situation: { type: 'object' },
    task: { type: 'object' },
    action: { type: 'object' },
    result: { type: 'object' },
    metadata: { type: 'object' },
  },
  required: ['id', 'timestamp'],
} as unknown as RxJsonSchema<BenchTrace>

interface Checkpoint {
  readonly at: number
}

const batchSize = 500

export const rxdb: SyncPeer = {
  name: 'RxDB',
  mode: 'HTTP replication, Dexie storage without an index, to a server that keeps everything in memory',
  async open(room, server) {
    const db = await createRxDatabase({ name: room, storage: getRxStorageDexie(), multiInstance: false })
    const { traces } = await db.addCollections<{ traces: RxCollection<BenchTrace> }>({ traces: { schema } })
    const nextId = createIdSource()
    const ask = async (what: string, body: unknown) => {
      const response = await fetch(`${server}/${room}/${what}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
      return response.json()
    }
    return {
      async store(many) {
        const { error } = await traces.bulkInsert(many.map((trace) => ({ id: nextId(), ...trace })))
        if (error.length > 0) throw new Error(`RxDB refused ${error.length} traces`)
      },
      async sync() {
        const replication = replicateRxCollection<BenchTrace, Checkpoint>({
          collection: traces,
          replicationIdentifier: 'bench',
          live: false,
          push: { batchSize, handler: (rows) => ask('push', rows) as Promise<never[]> },
          pull: {
            batchSize,
            handler: (checkpoint, limit) => ask('pull', { at: checkpoint?.at ?? 0, limit }) as Promise<never>,
          },
        })
        let failure: unknown
        replication.error$.subscribe((error) => (failure = error))
        await replication.awaitInitialReplication()
        await replication.cancel()
        if (failure) throw failure
      },
      count: () => traces.count().exec(),
      close: () => db.close(),
    }
  },
}
