// What another copy made of a history without ids follows the messages of this one, whichever of both came first.
import { describe, expect, it } from 'vitest'
import type { Daybook } from '../../../src/book/daybook.ts'
import { grant } from '../access/token-grant.ts'
import { type BookCase, snapshotOf } from '../book-case.ts'
import { told } from '../consent/guest-made.ts'
import { rebuilt } from './rebuilt.ts'

const ann = { type: 'User', id: 'ann', name: 'Ann' }
const line = { content: 'I live in Reykjavik.', source: ann }
const other = { content: 'I like bricks.', source: ann }
const forms = {
  plain: line,
  'with a name': { ...line, id: 'r-1' },
  'with a time': { ...line, timestamp: '2026-02-01T10:00:00.000Z' },
}
const word = /reykjavik/i
const orders = ['first', 'last'] as const
const ways = ['forget', 'purge'] as const

export function lateSourceCases({ book: open }: BookCase, keepsKeys: boolean): void {
  /** A bundle of what a copy made of a history that never had its messages, and the ids of that. */
  const made = async (said: typeof line, more: readonly (typeof line)[] = []) => {
    const maker = await open()
    const history = [said, ...more]
    const { episodeId: episode = '' } = await maker.conversation.archive({ history })
    const { profiles } = await maker.conversation.updateProfile({ history })
    const { text } = await maker.bundles.export({})
    return { text, episode, profile: profiles[0]?.id ?? '' }
  }
  const stored = async (book: Daybook, messages: readonly (typeof line)[], session = 'private') => {
    const { results } = await book.conversation.storeMany({ session, messages: [...messages] })
    return results.map(({ id = '' }) => id)
  }
  /** A book with the message and what was made of it elsewhere, which came `order`. */
  const met = async (order: (typeof orders)[number], said: typeof line = line) => {
    const { text, ...ids } = await made(said)
    const book = await open()
    if (order === 'first') await book.bundles.import({ text })
    const [message = ''] = await stored(book, [said])
    if (order === 'last') await book.bundles.import({ text })
    return { book, message, ...ids, made: [ids.episode, ids.profile] }
  }

  describe.each(orders)('what was made elsewhere of a history and came %s', (order) => {
    it.each(Object.entries(forms))('is read by nobody who is denied the message, %s', async (_how, said) => {
      const { book, made: ids } = await met(order, said)
      const permissions = ['read', 'export']
      const { token } = await grant(book, { permissions, deny: ['session:private'] })
      expect(await told(book, { as: token.token_id }, ids)).not.toMatch(word)
      const { token: trusted } = await grant(book, { permissions })
      expect(await told(book, { as: trusted.token_id }, ids)).toMatch(word)
    })

    it.each(ways)('goes with the message by %s', async (way) => {
      const { book, message, made: ids } = await met(order)
      expect((await book.records[way]({ id: message })).rebuilt?.toSorted()).toEqual(ids.toSorted())
      const { token } = await grant(book, { permissions: ['read', 'export'] })
      expect(await told(book, { as: token.token_id }, ids)).not.toMatch(word)
      for (const id of ids) await rebuilt(book, id)
      for (const id of ids) expect(await book.records.get({ id })).toBeNull()
      expect(JSON.stringify(await book.records.query({ limit: 1000 }))).not.toMatch(word)
    })

    it.runIf(keepsKeys)('is sealed with the message', async () => {
      const { book, message, made: ids } = await met(order)
      await book.records.setSensitivity({ id: message, sensitivity: 'restricted' })
      for (const id of ids)
        expect(await book.records.get({ id })).toMatchObject({ sensitivity: 'restricted' })
    })
  })

  it('leaves a live query of who is denied the message, as soon as both are here', async () => {
    const { text } = await made(line)
    const book = await open()
    const { token } = await grant(book, { deny: ['session:private'] })
    const guest = book.with({ as: token.token_id })
    const lives = ['episode', 'profile'].map((kind) =>
      guest.live({ method: 'records.query', input: { kind }, kinds: [kind] }),
    )
    const counted = (n: number) =>
      Promise.all(lives.map((live) => snapshotOf(live, ({ data }) => data?.records.length === n)))
    await counted(0)
    await book.bundles.import({ text })
    await counted(1)
    await stored(book, [line])
    await counted(0)
  })

  it('is told anew of the messages that are left', async () => {
    const { text, episode, profile } = await made(line, [other])
    const book = await open()
    const [message = '', left = ''] = await stored(book, [line, other])
    await book.bundles.import({ text })
    await book.records.forget({ id: message })
    for (const id of [episode, profile]) await rebuilt(book, id)
    expect(await book.records.get({ id: episode })).toMatchObject({
      messages: [left],
      summary: expect.stringContaining('bricks'),
    })
    expect((await book.conversation.profile({ user_id: 'ann' })).profile).toBe('likes: bricks')
  })

  it.runIf(keepsKeys)('is as sensitive as a message that was here first', async () => {
    const { text, episode, profile } = await made(line)
    const book = await open()
    await book.conversation.storeMany({ messages: [line], sensitivity: 'restricted' })
    await book.bundles.import({ text })
    for (const id of [episode, profile])
      expect(await book.records.get({ id })).toMatchObject({ sensitivity: 'restricted' })
  })
}
