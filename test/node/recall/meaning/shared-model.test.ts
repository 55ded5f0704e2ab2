// Books of one host share the model of a table; another host, place or name of a model has its own.
import { expect, test } from 'vitest'
import { createAbort, neverAborted } from '../../../../src/core/abort.ts'
import { nodePorts } from '../../../../src/hosts/node/port/node-ports.ts'
import { openMeaningReader } from '../../../../src/recall/embed/meaning/meaning-reader.ts'
import type { TableHost } from '../../../../src/recall/embed/meaning/table-host.ts'
import { smallTable } from '../../../support/meaning-table.ts'

function countingHost(): TableHost & { reads: number } {
  return {
    reads: 0,
    readTable() {
      this.reads += 1
      return Promise.resolve(smallTable())
    },
  }
}
const open = (host: TableHost, path?: string) =>
  openMeaningReader(
    { path, model: 'small-1' },
    { ...nodePorts, host, onProgress: () => undefined, signal: createAbort().signal },
  )

test('the table of a host is read once for all of its books', async () => {
  const host = countingHost()
  const first = await open(host)
  const second = await open(host)
  expect(host.reads).toBe(1)
  const text = ['fix the car']
  expect(await second.embed(text, neverAborted)).toEqual(await first.embed(text, neverAborted))
  await open(host, 'elsewhere.bin')
  expect(host.reads).toBe(2)
  const other = countingHost()
  await open(other)
  expect([host.reads, other.reads]).toEqual([2, 1])
})

test('a failed read is no model', async () => {
  const host = countingHost()
  const failing: TableHost = { readTable: (request) => (host.reads === 0 ? fail() : host.readTable(request)) }
  const fail = () => {
    host.reads = 1
    return Promise.reject(new Error('unreadable'))
  }
  await expect(open(failing)).rejects.toThrow('unreadable')
  expect((await open(failing)).dimensions).toBe(20)
})
