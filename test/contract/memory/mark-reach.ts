// How far marks by themselves are read and changed: as far as the record that they are of.
import { describe, expect, it } from 'vitest'
import { makeTrace } from '../../support/trace.ts'
import { grant } from '../access/token-grant.ts'
import { type BookCase, failure, snapshotOf } from '../book-case.ts'

const trace = (id: string, over: object = {}) => ({ ...makeTrace(), id, ...over })

export function markReachCases({ book: open }: BookCase): void {
  describe('marks by themselves', () => {
    it('are read by themselves where their record is, whatever names marks', async () => {
      const book = await open()
      const { id: seen } = await book.perceptions.store({ content: 'seen', subject: 'other' })
      const { id: hidden } = await book.perceptions.store({ content: 'hidden', subject: 'hid' })
      const memory = { content: 'Likes pepper.', category: 'a2p:preferences.food' }
      const { id: kept } = await book.memories.store(memory)
      for (const id of [seen, hidden, kept]) await book.records.mark({ id, collection: `Of/${id}` })
      const all = (await book.records.query({ kind: 'mark' })).records.map(({ id }) => id)
      const told = async (over: object) => {
        const { token } = await grant(book, { permissions: ['read', 'export'], ...over })
        const as = { as: token.token_id }
        const answers: unknown[] = [
          await book.records.query({ kind: 'mark' }, as),
          await book.records.marks({}, as),
          (await book.recall({ text: `Of ${hidden} ${kept}` }, as)).hits,
          (await book.bundles.export({}, as)).text,
        ]
        for (const id of all) {
          answers.push(await book.records.get({ id }, as))
          answers.push(await book.records.history({ id }, as).catch(() => null))
        }
        const { total } = await book.records.count({ kind: 'mark' }, as)
        const text = JSON.stringify(answers)
        return [total, [seen, hidden, kept].filter((id) => text.includes(`Of/${id}`))]
      }
      expect(await told({ scope: 'mark' })).toEqual([0, []])
      expect(await told({ scope: 'perception:other', allow: ['mark'] })).toEqual([1, [seen]])
      expect(await told({ scope: '**', deny: ['perception:hid'] })).toEqual([1, [seen]])
      expect(await told({ scope: '**' })).toEqual([2, [seen, hidden]])
    })

    it('are told of by no live query where their record is not, and no more once it is not', async () => {
      const book = await open()
      const { id } = await book.perceptions.store({ content: 'c', subject: 'other' })
      await book.records.mark({ id, collection: 'Zanzibar' })
      const { token } = await grant(book, { scope: 'perception:other', allow: ['mark'] })
      const guest = book.with({ as: token.token_id })
      const live = guest.live({ method: 'records.query', input: { kind: 'mark' }, kinds: ['mark'] })
      const shows = (count: number) =>
        snapshotOf(live, ({ data }) => (data as { records: object[] } | undefined)?.records.length === count)
      let told = ''
      const off = live.subscribe(() => (told += JSON.stringify(live.getSnapshot().data)))
      await shows(1)
      const { id: hidden } = await book.perceptions.store({ content: 'h', subject: 'hid' })
      await book.records.mark({ id: hidden, collection: 'Hidden' })
      await book.perceptions.update({ id, updates: { subject: 'hid' } })
      await shows(0)
      expect(told).not.toContain('Hidden')
      off()
    })

    it('are as sensitive as their record: nobody says otherwise of them alone, and no bundle', async () => {
      const book = await open()
      await book.traces.storeMany({ traces: [trace('a')] })
      await book.records.mark({ id: 'a', collection: 'Zanzibar' })
      const mark = (await book.records.query({ kind: 'mark' })).records[0]?.id ?? ''
      for (const sensitivity of ['public', 'sensitive', 'restricted'] as const) {
        const refused = book.records.setSensitivity({ id: mark, sensitivity })
        const { code, details, message } = await failure(refused)
        expect([sensitivity, code, details['path']]).toEqual([sensitivity, 'invalid-input', 'id'])
        expect(message).toContain('set the sensitivity of the record')
      }
      await book.records.setSensitivity({ id: 'a', sensitivity: 'public' })
      expect(await book.records.get({ id: mark })).toMatchObject({ sensitivity: 'public' })
    })
  })
}

export function sealedMarkReachCases({ book: open }: BookCase): void {
  it('opens the mark of a sealed record by no verb and no bundle', async () => {
    const other = await open()
    await other.traces.storeMany({ traces: [trace('a')] })
    await other.records.mark({ id: 'a', collection: 'Zanzibar' })
    const inClear = await (await other.bundles.export({})).text
    const book = await open({ passphrase: 'correct horse battery' })
    await book.traces.storeMany({ traces: [trace('a', { sensitivity: 'sensitive' })] })
    await book.import(inClear)
    const { records } = await book.records.query({ kind: 'mark' })
    expect(records).toMatchObject([{ collection: 'Zanzibar', sensitivity: 'sensitive' }])
    const refused = book.records.setSensitivity({ id: records[0]?.id ?? '', sensitivity: 'public' })
    expect((await failure(refused)).code).toBe('invalid-input')
    await book.seal.lock()
    expect((await book.bundles.export({})).text).not.toContain('Zanzibar')
  })
}
