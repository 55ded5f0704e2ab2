// RxDB over Dexie, the storage that comes free of charge.
import { createRxDatabase, type RxCollection, type RxJsonSchema } from 'rxdb/plugins/core'
import { getRxStorageDexie } from 'rxdb/plugins/storage-dexie'
import type { BenchTrace, StorePeer } from '../peer.ts'

const schema = {
  version: 0,
  primaryKey: 'id',
  type: 'object',
  properties: {
    id: { type: 'string', maxLength: 64 },
    timestamp: { type: 'string', maxLength: 32 },
    situation: {
      type: 'object',
      properties: { domain: { type: 'string', maxLength: 64 } },
      required: ['domain'],
    },
    task: { type: 'object' },
    action: { type: 'object', properties: { type: { type: 'string', maxLength: 64 } }, required: ['type'] },
    result: { type: 'object' },
    metadata: { type: 'object' },
  },
  required: ['id', 'timestamp', 'situation', 'action'],
  indexes: ['timestamp', 'situation.domain', 'action.type'],
} as unknown as RxJsonSchema<BenchTrace>

export const rxdb: StorePeer = {
  name: 'RxDB',
  mode: 'Dexie storage (its free one), one tab, three indexes',
  idField: 'id',
  async open(name) {
    const db = await createRxDatabase({ name, storage: getRxStorageDexie(), multiInstance: false })
    const { traces } = await db.addCollections<{ traces: RxCollection<BenchTrace> }>({ traces: { schema } })
    return {
      storeOne: (trace) => traces.insert(trace),
      async storeMany(many) {
        const { error } = await traces.bulkInsert([...many])
        if (error.length > 0) throw new Error(`RxDB refused ${error.length} traces`)
      },
      firstRead: async (domain) =>
        (await traces.find({ selector: { 'situation.domain': domain }, limit: 20 }).exec()).length,
      count: () => traces.count().exec(),
      close: () => db.close(),
    }
  },
}
