// Collections of TanStack DB over the records of a kind: by filters, changed by the verbs of that kind, hidden and shown as the
// book does it.
import { createCollection } from '@tanstack/db'
import { expect, it } from 'vitest'
import { daybookCollectionOptions } from '../../../../../src/doors/adapter/tanstack-db/collection.ts'
import { failure } from '../../../../contract/book-case.ts'
import { openBook, until } from './rows-case.ts'
import { kinds } from '../../../../../src/engine/capability-table.ts'
import { recordSource } from '../../../../../src/doors/adapter/tanstack-db/row-source.ts'

it('shows the records of a kind by filters, and changes them by the verbs of that kind', async () => {
  const book = await openBook()
  const rows = createCollection(
    daybookCollectionOptions({ book, kind: 'perception', filters: { subject: 'tea' } }),
  )
  await rows.preload()
  const { id } = await book.perceptions.store({ content: 'likes tea', subject: 'tea' })
  await book.perceptions.store({ content: 'likes coffee', subject: 'coffee' })
  await until(rows, () => rows.has(id))
  expect(rows.toArray.map(({ content }) => content)).toEqual(['likes tea'])
  await rows.update(id, (draft) => void (draft.confidence = 0.5)).isPersisted.promise
  expect(await book.records.get({ id })).toMatchObject({ confidence: 0.5, content: 'likes tea' })
  const own = {
    id: 'own',
    type: 'observation',
    subject: 'tea',
    content: 'green',
    confidence: 1,
    evidence: [],
  }
  await rows.insert(own).isPersisted.promise
  expect(rows.get('own')).toMatchObject({ ...own, kind: 'perception', agent: expect.any(String) })
  // What does not satisfy the filters any more leaves.
  await rows.update('own', (draft) => void (draft.subject = 'coffee')).isPersisted.promise
  expect(rows.has('own')).toBe(false)
  await rows.delete(id).isPersisted.promise
  expect(await book.records.get({ id })).toBeNull()
  const taken = await failure(rows.insert({ ...own, content: 'other' }).isPersisted.promise)
  expect(taken).toMatchObject({ code: 'conflict' })
  expect(rows.has('own')).toBe(false)
})

it('lets a perception go when its time is over, though nobody writes', async () => {
  const book = await openBook()
  const rows = createCollection(daybookCollectionOptions({ book, kind: 'perception' }))
  await rows.preload()
  const told: string[] = []
  rows.subscribeChanges((changes) => told.push(...changes.map(({ type }) => type)))
  const valid_until = new Date(Date.now() + 400).toISOString()
  const own = { id: 'own', type: 'observation', content: 'hot', confidence: 1, evidence: [], valid_until }
  await rows.insert(own).isPersisted.promise
  await until(rows, () => told.at(-1) === 'delete')
  expect(told[0]).toBe('insert')
  expect(await book.records.get({ id: 'own' })).toMatchObject({ valid_until })
})

it('hides a fact in whose place another one stands, and shows it again when that one is forgotten', async () => {
  const book = await openBook()
  const facts = createCollection(
    daybookCollectionOptions({ book, kind: 'fact', filters: { schema: 'city' } }),
  )
  const checked = createCollection(
    daybookCollectionOptions({ book, kind: 'fact', filters: { verified: false } }),
  )
  await Promise.all([facts.preload(), checked.preload()])
  const fact = { id: 'f1', schema: 'city', data: { name: 'Rome' }, verified: false }
  await facts.insert(fact).isPersisted.promise
  const next = await book.facts.supersede({ id: 'f1', data: { name: 'Oslo' }, verified: true })
  await until(facts, () => facts.has(next.id) && !facts.has('f1'))
  await until(checked, () => checked.size === 0)
  await book.records.forget({ id: next.id })
  await until(facts, () => facts.has('f1') && facts.size === 1)
  await until(checked, () => checked.has('f1'))
  await facts.update('f1', (draft) => void (draft.data = { name: 'Bergen' })).isPersisted.promise
  expect(await book.records.get({ id: 'f1' })).toMatchObject({ data: { name: 'Bergen' }, schema: 'city' })
})

it('keeps traces and skills, and only looks at what has verbs of its own', async () => {
  const book = await openBook()
  const traces = createCollection(daybookCollectionOptions({ book, kind: 'trace' }))
  const skills = createCollection(daybookCollectionOptions({ book, kind: 'skill' }))
  const messages = createCollection(daybookCollectionOptions({ book, kind: 'message' }))
  await Promise.all([traces.preload(), skills.preload(), messages.preload()])
  const trace = (id: string, goal: string) =>
    ({ id, situation: { domain: 'web' }, task: { goal }, action: { type: 'read' } }) as never
  await traces.insert([trace('t1', 'one'), trace('t2', 'two')]).isPersisted.promise
  await traces.update('t1', (draft) => {
    draft.result = { success: true, outcome: {}, side_effects: [] }
  }).isPersisted.promise
  expect(await book.records.get({ id: 't1' })).toMatchObject({
    task: { goal: 'one' },
    result: { success: true },
  })
  const refused = await failure(traces.update('t1', (draft) => void (draft.agent = 'x')).isPersisted.promise)
  expect(refused).toMatchObject({ code: 'invalid-input', details: { path: 'changes.agent' } })
  const skill = { name: 'brew', description: '', definition: { procedure: 'boil' } } as never
  await skills.insert(skill).isPersisted.promise
  await skills.update('brew', (draft) => void (draft.description = 'of tea')).isPersisted.promise
  expect(skills.get('brew')).toMatchObject({ description: 'of tea', maturity: { usage_count: 0 } })
  await skills.delete('brew').isPersisted.promise
  expect([traces.size, skills.size]).toEqual([2, 0])
  expect(() => messages.insert({ id: 'm' } as never)).toThrow('onInsert')
})

it('knows the field by which records of each kind expire', () => {
  for (const { name, expires } of kinds.values())
    expect([name, recordSource(name, undefined).expiryField]).toEqual([name, expires])
})
