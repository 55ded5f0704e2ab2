// Checkpoints on every host: whole with their parts or not at all, the last one first, gone with their thread.
import { describe, expect, it } from 'vitest'
import { defined } from '../../../src/core/defined.ts'
import { type BookCase, failure } from '../book-case.ts'

const hash = (digit: string) => digit.repeat(32)
const step = (checkpoint: string, parts: readonly string[], parent?: string) => ({
  thread: 't',
  checkpoint,
  ...defined({ parent }),
  state: `state ${checkpoint}`,
  metadata: '{}',
  parts: parts.map(hash),
})

/** A part for each digit, that says so. */
const data = (digits: string) => Object.fromEntries([...digits].map((one) => [hash(one), `zanzibar ${one}`]))

export function checkpointCases({ book: open, reopen }: BookCase): void {
  describe('checkpoints', () => {
    it('share their parts, and are read with what was written after them', async () => {
      let book = await open()
      const missing = await book.checkpoints.put(step('1', ['a', 'b']))
      expect(missing.missing).toEqual([hash('a'), hash('b')])
      expect((await book.checkpoints.read({ thread: 't' })).checkpoint).toBeNull()
      await book.checkpoints.put({ ...step('1', ['a', 'b']), data: { [hash('a')]: 'A', [hash('b')]: 'B' } })
      const two = await book.checkpoints.put({ ...step('2', ['a', 'c'], '1'), data: { [hash('c')]: 'C' } })
      expect(two.missing).toEqual([])
      const write = (place: number, value: string) => ({ place, channel: 'log', value })
      const task = { thread: 't', checkpoint: '2', task: 'one' }
      await book.checkpoints.putWrites({ ...task, writes: [write(0, 'first'), write(-1, 'error')] })
      await book.checkpoints.putWrites({ ...task, writes: [write(0, 'again'), write(-1, 'other')] })
      book = await reopen(book)
      const { checkpoint, parts } = await book.checkpoints.read({ thread: 't', present: [hash('a')] })
      expect(checkpoint).toMatchObject({ checkpoint: '2', parent: '1', state: 'state 2' })
      expect(checkpoint?.writes[0]?.writes).toEqual([write(0, 'first'), write(-1, 'other')])
      expect(parts).toEqual({ [hash('c')]: 'C' })
      const list = async (query: object) =>
        (await book.checkpoints.list(query)).checkpoints.map((one) => one.checkpoint)
      expect(await list({})).toEqual(['2', '1'])
      expect(await list({ thread: 't', before: '2' })).toEqual(['1'])
      expect(await list({ thread: 't', namespace: 'child' })).toEqual([])
      expect(await list({ thread: 'other' })).toEqual([])
    })

    it('go with their thread, and leave others alone', async () => {
      const book = await open()
      for (const thread of ['t', 'u']) {
        await book.checkpoints.put({ ...step('1', ['a']), thread, data: { [hash('a')]: 'A' } })
        await book.checkpoints.putWrites({ thread, checkpoint: '1', task: 'x', writes: [] })
      }
      expect(await book.checkpoints.deleteThread({ thread: 't' })).toEqual({ forgotten: 3 })
      expect((await book.checkpoints.read({ thread: 't' })).checkpoint).toBeNull()
      expect((await book.checkpoints.read({ thread: 'u' })).parts).toEqual({ [hash('a')]: 'A' })
      expect(await book.checkpoints.deleteThread({ thread: 't' })).toEqual({ forgotten: 0 })
    })

    it.each(['forget', 'purge'] as const)(
      'take what no other names with them when they go by %s, and what was written after them',
      async (verb) => {
        const book = await open()
        const one = await book.checkpoints.put({ ...step('1', ['a', 'b']), data: data('ab') })
        await book.checkpoints.put({ ...step('2', ['a', 'c'], '1'), data: data('c') })
        const value = { place: 0, channel: 'log', value: 'zanzibar written' }
        const writes = [{ ...value, parts: [hash('d'), hash('c')] }]
        await book.checkpoints.putWrites({
          thread: 't',
          checkpoint: '1',
          task: 'x',
          writes,
          data: data('d'),
        })
        await book.checkpoints.putWrites({ thread: 't', checkpoint: '2', task: 'x', writes: [value] })
        // The same words in another thread are another's.
        await book.checkpoints.put({ ...step('1', ['b']), thread: 'u', data: data('b') })
        await (verb === 'forget' ? book.records.forget({ id: one.id }) : book.records.purge({ id: one.id }))
        const left = (await book.records.query({ kind: 'checkpoint_part' })).records
        const named = left.map((part) => `${String(part['thread'])} ${String(part['hash'])[0]}`)
        expect(named.toSorted()).toEqual(['t a', 't c', 'u b'])
        expect((await book.records.query({ kind: 'checkpoint_write' })).records).toHaveLength(1)
        const { checkpoint, parts } = await book.checkpoints.read({ thread: 't' })
        expect([checkpoint?.checkpoint, Object.keys(parts).toSorted()]).toEqual(['2', [hash('a'), hash('c')]])
        expect(checkpoint?.writes).toHaveLength(1)
      },
    )

    it.each(['alone', 'with its thread'] as const)(
      'that were forgotten %s and then purged leave no part that an import of an older export brings back',
      async (how) => {
        const book = await open()
        const one = await book.checkpoints.put({ ...step('1', ['a', 'b']), data: data('ab') })
        await book.checkpoints.put({ ...step('2', ['a'], '1'), data: {} })
        const writes = [{ place: 0, channel: 'log', value: 'zanzibar written', parts: [hash('d')] }]
        const task = { thread: 't', checkpoint: '1', task: 'x' }
        await book.checkpoints.putWrites({ ...task, writes, data: data('d') })
        await book.checkpoints.put({ ...step('1', ['b']), thread: 'u', data: data('b') })
        const older = await new Response(await book.export()).text()
        if (how === 'alone') await book.records.forget({ id: one.id })
        else await book.checkpoints.deleteThread({ thread: 't' })
        expect(await book.records.purge({ id: one.id })).toMatchObject({ purged: true })
        await book.import(older, { mode: 'replace' })
        const there = async (kind: string) =>
          (await book.records.query({ kind })).records.map((part) =>
            [part['thread'], part['checkpoint'], String(part['hash'] ?? '')[0]].join(' ').trim(),
          )
        // The parts of what was forgotten with the thread have no owner of their own.
        const named = how === 'alone' ? ['t  a', 'u  b'] : ['u  b']
        expect((await there('checkpoint_part')).toSorted()).toEqual(named)
        expect(await there('checkpoint_write')).toEqual([])
        expect((await there('checkpoint')).toSorted()).toEqual(['t 2', 'u 1'])
      },
    )

    it.each([
      [{ ...step('', []) }, 'checkpoint'],
      [{ ...step('1', ['a']), parts: ['short'] }, 'parts.0'],
      [{ ...step('1', []), thread: '\ud800' }, 'thread'],
    ])('refuse %j', async (given, path) => {
      const book = await open()
      const error = await failure(book.checkpoints.put(given))
      expect(error).toMatchObject({ code: 'invalid-input', details: { path } })
    })
  })
}
