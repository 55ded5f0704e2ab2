import { beforeEach, describe, expect, test } from 'vitest'
import type { SqlDatabase } from '../../../../src/core/ports.ts'
import { openNodeDatabase } from '../../../../src/hosts/node/book/node-database.ts'
import { makeKind, openTestStore, type TestStore } from '../../../support/test-store.ts'

let db: SqlDatabase
beforeEach(() => {
  db = openNodeDatabase({ path: ':memory:' })
})

const found = (book: TestStore, text: string) => book.queries.search({ text }).map(({ record }) => record.id)

describe('derived tables', () => {
  test('follow what a kind declares, when a program opens the book that declares more', () => {
    const before = openTestStore([makeKind({ text: ['title'] })], { db })
    before.put({ title: 'red', note: 'blue' }, { id: 'r-1' })
    expect(found(before, 'blue')).toEqual([])
    const after = openTestStore([makeKind({ text: ['title', 'note'], facets: { name: 'title' } })], { db })
    expect(found(after, 'blue')).toEqual(['r-1'])
    expect(db.all('SELECT name FROM facets')).toEqual([{ name: 'red' }])
  })

  test('take in records of a kind that was not known before, and only those', () => {
    const before = openTestStore([makeKind()], { db })
    before.put({ title: 'red' })
    before.put({ title: 'green' }, { id: 'r-2', kind: 'other' })
    before.projection.catchUp()
    const after = openTestStore([makeKind(), makeKind({ name: 'other', text: ['title'] })], { db })
    expect(after.projection.lagCount()).toBe(1)
    expect(found(after, 'green')).toEqual(['r-2'])
    expect(after.queries.countsByKind()).toEqual({ thing: 1, other: 1 })
  })

  test('are made anew when another declaration made them, and stay otherwise', () => {
    const open = () => openTestStore([makeKind({ text: ['title'] })], { db })
    const first = open()
    first.put({ title: 'red' }, { id: 'r-1' })
    first.projection.catchUp()
    expect(open().projection.lagCount()).toBe(0)
    first.settings.set('derived_tables', 1)
    const again = open()
    expect(again.projection.lagCount()).toBe(1)
    expect(found(again, 'red')).toEqual(['r-1'])
  })
})
