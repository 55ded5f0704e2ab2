// Skills: procedures under a name, and how they grow with use.
import { expect, it } from 'vitest'
import { type BookCase, failure } from '../book-case.ts'

const review = {
  name: 'review a pull request',
  description: 'Reads a change and says what could break.',
  definition: {
    triggers: ['a pull request is opened'],
    preconditions: ['the tests pass'],
    procedure: 'Read the diff.',
  },
}

export function skillCases({ book: open, reopen }: BookCase): void {
  it('stores a skill under a name that is unique', async () => {
    const book = await open()
    const { id } = await book.skills.store(review)
    expect(await book.skills.get({ skillName: review.name })).toMatchObject({
      ...review,
      id,
      kind: 'skill',
      learned_from: {
        traces: [],
        explicit_training: false,
      },
      maturity: {
        level: 'novice',
        success_rate: 0,
        usage_count: 0,
      },
    })
    expect(await book.skills.get({ skillName: 'unknown' })).toBeNull()
    const twice = await failure(book.skills.store({ ...review, description: 'another' }))
    expect(twice).toMatchObject({ code: 'conflict', details: { path: 'name', id } })
    await book.skills.recordOutcome({ skillName: review.name, outcome: true })
    await book.skills.store({ ...review, description: 'another', replace: true })
    const changed = await book.skills.get({ skillName: review.name })
    expect(changed).toMatchObject({
      id,
      description: 'another',
      maturity: { usage_count: 1, success_rate: 1 },
    })
    // A use changes counts alone: of these versions the first, second, fourth, eighth and so on stay.
    const { versions } = await book.skills.history({ id })
    expect(versions.map(({ body }) => [body?.['description'], body?.['maturity']])).toMatchObject([
      [review.description, { usage_count: 0 }],
      [review.description, { usage_count: 1 }],
      ['another', { usage_count: 1 }],
    ])
    const { hits } = await book.recall({ text: 'how to review a pull request' })
    expect(hits.map(({ record }) => record.id)).toEqual([id])
    await book.skills.forget({ id })
    expect((await book.skills.store(review)).id).toBe(id)
  })

  it('tells names apart, however they are written', async () => {
    const book = await open()
    const names = [
      'a b',
      'a:b',
      'a_b',
      'A b',
      'á b',
      '日本語の手順',
      '🙂',
      `${'x'.repeat(500)}1`,
      `${'x'.repeat(500)}2`,
    ]
    for (const name of names) await book.skills.store({ name, definition: { procedure: name } })
    for (const name of names) {
      expect((await book.skills.get({ skillName: name }))?.definition.procedure).toBe(name)
    }
    expect((await book.skills.query({ filters: { name: { in: ['a b', '🙂'] } } })).records).toHaveLength(2)
  })

  it('grows a skill with its outcomes, and keeps that', async () => {
    const book = await open()
    await book.skills.store(review)
    const use = (outcome: boolean) => book.skills.recordOutcome({ skillName: review.name, outcome })
    for (let i = 0; i < 4; i++) await use(true)
    expect(await use(false)).toMatchObject({
      from: 'novice',
      maturity: {
        level: 'competent',
        success_rate: 0.8,
        usage_count: 5,
        last_used: expect.any(String) as string,
      },
    })
    expect(
      (await book.skills.query({ filters: { 'maturity.success_rate': { gte: 0.8 } } })).records,
    ).toHaveLength(1)
    const again = await reopen(book)
    expect((await again.skills.get({ skillName: review.name }))?.maturity).toMatchObject({ usage_count: 5 })
    const missing = await failure(again.skills.recordOutcome({ skillName: 'none', outcome: true }))
    expect(missing).toMatchObject({ code: 'not-found', details: { path: 'skillName' } })
  })

  it('leaves few versions for its uses, and restores what it said before', async () => {
    const book = await open()
    const { id } = await book.skills.store(review)
    const procedure = (text: string) => ({ ...review, definition: { procedure: text } })
    await book.skills.store({ ...procedure('Second.'), replace: true })
    for (let i = 0; i < 12; i++) await book.skills.recordOutcome({ skillName: review.name, outcome: true })
    await book.skills.store({ ...procedure('Third.'), replace: true })
    const { versions } = await book.skills.history({ id })
    expect(versions.map(({ version, body }) => [version, body?.['definition']])).toMatchObject([
      [1, { procedure: review.definition.procedure }],
      ...[2, 4, 8, 14].map((version) => [version, { procedure: 'Second.' }]),
      [15, { procedure: 'Third.' }],
    ])
    await book.records.restore({ id, version: 1 })
    expect(await book.skills.get({ skillName: review.name })).toMatchObject({
      definition: review.definition,
    })
  })

  it('takes a skill that was learned elsewhere with its maturity', async () => {
    const book = await open()
    const maturity = { level: 'expert', success_rate: 0.95, usage_count: 100 } as const
    await book.skills.store({ ...review, maturity })
    expect(await book.skills.recordOutcome({ skillName: review.name, outcome: true })).toMatchObject({
      maturity: { level: 'expert', usage_count: 101, success_rate: 96 / 101 },
    })
  })

  it.each([
    ['no name', { definition: { procedure: 'p' } }, 'name'],
    ['no procedure', { name: 'n', definition: {} }, 'definition.procedure'],
    ['a level that is none', { ...review, maturity: { level: 'master' } }, 'maturity.level'],
    ['a rate above 1', { ...review, maturity: { success_rate: 2 } }, 'maturity.success_rate'],
  ])('refuses a skill with %s', async (_what, input, path) => {
    const book = await open()
    const error = await failure(book.call('kstar:store_skill', input as never))
    expect(error).toMatchObject({ code: 'invalid-input', details: { path } })
  })
}
