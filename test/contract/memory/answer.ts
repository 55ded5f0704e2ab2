// The semantic cache, as every host must keep it.
import { expect, it } from 'vitest'
import { type BookCase, failure } from '../book-case.ts'

export function answerCases({ book: open, reopen }: BookCase): void {
  const question = "When is Ann's birthday?"

  it('gives an answer again for the same question, however it is written', async () => {
    const book = await open()
    const { id } = await book.conversation.cacheAnswer({ question, answer: 'On 5 March.' })
    const again = await reopen(book)
    for (const asked of [question, 'when is ann’s birthday', '  WHEN IS ANN’S   BIRTHDAY?? '])
      expect(await again.conversation.cachedAnswer({ question: asked })).toMatchObject({
        id,
        answer: 'On 5 March.',
      })
    expect((await again.recall({ text: 'birthday March' })).hits).toEqual([])
  })

  it.each([
    ["When is Bob's birthday?", 'another name'],
    ["When isn't Ann's birthday?", 'a negation'],
    ["When is Ann's birthday in 2027?", 'a number'],
    ["Is when Ann's birthday or not", 'another order and a negation'],
    ['birthday', 'less'],
  ])('takes %j for another question: %s', async (asked) => {
    const book = await open()
    await book.conversation.cacheAnswer({ question, answer: 'On 5 March.' })
    expect(await book.conversation.cachedAnswer({ question: asked })).toEqual({ answer: null })
  })

  it('no longer gives an answer when what it rested on changed or is gone', async () => {
    const book = await open()
    const history = [{ source: { User: 'ann' }, content: 'My birthday is March 5.', timestamp: '2026-01-01' }]
    const [profile] = (await book.conversation.updateProfile({ history })).profiles
    const { id: message = '' } = await book.conversation.store({ message: { content: 'Ann likes cake' } })
    const records = [profile?.id ?? '', message]
    const ask = async () => (await book.conversation.cachedAnswer({ question })).answer
    await book.conversation.cacheAnswer({ question, answer: 'On 5 March.', records })
    expect(await ask()).toBe('On 5 March.')
    await book.conversation.updateProfile({
      history: [{ source: { User: 'ann' }, content: 'My birthday is April 6.', timestamp: '2026-02-01' }],
    })
    expect(await ask()).toBeNull()
    await book.conversation.cacheAnswer({ question, answer: 'On 6 April.', records })
    expect(await ask()).toBe('On 6 April.')
    await book.conversation.forget({ id: message })
    expect(await ask()).toBeNull()
    const gone = failure(book.conversation.cacheAnswer({ question, answer: 'x', records }))
    expect(await gone).toMatchObject({ code: 'not-found', details: { path: 'records.1' } })
  })

  it('keeps agents apart, and forgets the answers of an agent with all else', async () => {
    const book = await open()
    await book.conversation.cacheAnswer({ question, answer: 'On 5 March.' })
    expect((await book.conversation.cachedAnswer({ agent: 'other', question })).answer).toBeNull()
    await book.conversation.forgetAgent({ agent: 'contract' })
    expect((await book.conversation.cachedAnswer({ question })).answer).toBeNull()
  })
}
