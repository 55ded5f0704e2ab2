// Access to the tables of the knowledge pool in this copy, with the name of this copy among the claws and its check
// of signatures.
import { type ClawId, idPrefixes } from '../core/text/name-id.ts'
import type { PoolPort, PoolWritePort } from '../core/pool.ts'
import { toHex } from '../core/ids.ts'
import type { Keyring, Random } from '../core/ports.ts'
import type { BookStore } from '../store/book-store.ts'
import type { EngineOptions } from './engine-options.ts'

export interface PoolAccessParts {
  readonly store: Pick<BookStore, 'pool' | 'device'>
  readonly options: Pick<EngineOptions, 'name' | 'scope' | 'carriers'>
  readonly keys: Keyring
  readonly random: Random
}

export type PoolAccess = PoolPort & PoolWritePort

export function createPoolAccess({ store, options, keys, random }: PoolAccessParts): PoolAccess {
  const { name: book, scope, carriers = [] } = options
  const runId = toHex(random.bytes(4))
  // The tables have counters that change: a spread would copy their first values.
  return Object.create(store.pool, {
    // `instance`: this run of the engine; each opening has another one.
    self: {
      get: () => ({
        book,
        agent: scope.agent,
        device: store.device,
        instance: `${store.device}#${runId}`,
      }),
    },
    servesOnePerson: { value: carriers.length > 0 && carriers.every((one) => one.servesOnePerson === true) },
    carrierNames: { value: carriers.map(({ name }) => name) },
    newId: { value: (sort: ClawId) => `${idPrefixes[sort]}${toHex(random.bytes(8))}` },
    verify: { value: keys.verify.bind(keys) },
  }) as PoolAccess
}
