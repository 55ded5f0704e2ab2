// A capability gets the ports that it declares and no other, and tokens and keys are within reach of one chapter alone.
import { expect, test } from 'vitest'
import { capabilityTable, chapters } from '../../../src/engine/capability-table.ts'

test('only the chapter of trust works with tokens and keys', () => {
  const users = chapters.filter(({ capabilities }) =>
    capabilities.some(({ uses }) => uses?.includes('trust')),
  )
  expect(users.map(({ name }) => name)).toEqual(['trust'])
})

test('whole files are moved by the chapters of files alone, and no write waits for the mirror', () => {
  const usersOf = (port: 'transfer' | 'mirror') =>
    chapters.filter(({ capabilities }) => capabilities.some(({ uses }) => uses?.includes(port)))
  expect(usersOf('transfer').map(({ name }) => name)).toEqual(['bundle', 'archive', 'file import'])
  const asking = usersOf('mirror').flatMap(({ capabilities }) =>
    capabilities.filter(({ uses }) => uses?.includes('mirror')),
  )
  // A write is one transaction; a read may be run again, and asks again.
  expect(asking.filter(({ effect }) => effect === 'write')).toEqual([])
  expect(asking.map(({ id }) => id)).toContain('kstar:history')
})

test('the table has every verb of every chapter, once', () => {
  const ids = capabilityTable.map(({ id }) => id)
  expect(ids).toEqual(chapters.flatMap(({ capabilities }) => capabilities.map(({ id }) => id)))
  expect(new Set(ids).size).toBe(ids.length)
})
