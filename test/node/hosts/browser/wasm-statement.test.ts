// The buffer that prepared statements of SQLite WASM share, when the memory is full.
import { expect, it } from 'vitest'
import type { Sqlite3Static } from '@sqlite.org/sqlite-wasm'
import { createStatementFactory } from '../../../../src/hosts/browser/storage/wasm-statement.ts'
import { loadBrowserSqlite } from './crash/fake-opfs.ts'

it('is not freed when a larger one fails to be allocated', async () => {
  const sqlite3 = await loadBrowserSqlite()
  const freed: number[] = []
  let isFull = false
  const wasm = new Proxy(sqlite3.wasm, {
    get(target, name) {
      if (name === 'dealloc') {
        return (address: number) => {
          freed.push(address)
          target.dealloc(address as never)
        }
      }
      if (name === 'alloc' && isFull) {
        return () => {
          throw new Error('The memory is full.')
        }
      }
      return Reflect.get(target, name) as unknown
    },
  })
  const db = new sqlite3.oo1.DB(':memory:')
  const factory = createStatementFactory({ ...sqlite3, wasm } as Sqlite3Static, db)
  const statement = factory.prepare('SELECT length(?) AS n')
  const lengthOf = (text: string) => {
    let length: unknown
    statement.run([text], ({ n }) => {
      length = n
      return false
    })
    return length
  }
  isFull = true
  expect(() => lengthOf('x'.repeat(100_000))).toThrow('The memory is full.')
  expect(freed).toEqual([])
  expect(lengthOf('short')).toBe(5)
  isFull = false
  expect(lengthOf('x'.repeat(100_000))).toBe(100_000)
  statement.finalize()
  factory.close()
  expect(new Set(freed).size).toBe(2)
  db.close()
})
