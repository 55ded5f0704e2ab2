// Why a record was not found by its vector.
import { describe, expect, test } from 'vitest'
import { createMeaningEmbedder } from '../../support/meaning-embedder.ts'
import { open as openWithVectors } from './embedding-case.ts'
import { codes, helps, missed, reasonOf } from './explain-case.ts'

describe('vectors', () => {
  const ask = (book: ReturnType<typeof openWithVectors>, text: string, id: string) =>
    missed(book.engine.call('recall:explain', { text, id }))

  test('not made yet; then too far; the similarity that it had and needed', async () => {
    const book = openWithVectors(createMeaningEmbedder())
    await book.store()
    expect(codes(await ask(book, 'hospital', 't-2'))).toEqual(['no-common-word', 'no-vector'])
    expect(helps(await ask(book, 'hospital', 't-2'))).toContainEqual(['wait-for-vectors', undefined])
    await book.pass()
    const { value, needed } = reasonOf(await ask(book, 'hospital', 't-2'), 'less-similar')
    expect(value).toBeLessThan(needed)
    expect(await book.engine.call('recall:explain', { text: 'hospital', id: 't-1' })).toMatchObject({
      outcome: 'found',
      rank: 1,
    })
  })

  test('none for a text that goes to no embedder: waiting does not help', async () => {
    const book = openWithVectors(createMeaningEmbedder())
    await book.store()
    const document = { key: 'plan', value: { text: 'harbour' } }
    const written = await book.engine.call('document:write', { changes: [document] })
    const { id = '' } = (written as { written: { id: string }[] }).written[0] ?? {}
    await book.pass()
    const kind = book.engine.store.kinds.get('document')
    const embeds = kind?.embeds
    Object.assign(kind ?? {}, { embeds: () => false })
    const answer = await ask(book, 'hospital', id)
    Object.assign(kind ?? {}, { embeds })
    expect(reasonOf(answer, 'no-vector').isComing).toBe(false)
    expect(helps(answer).map(([code]) => code)).not.toContain('wait-for-vectors')
  })

  test('none from an embedder that waits for something else than time', async () => {
    const waiting = 'This book has vectors of another embedder.'
    const book = openWithVectors({ ...createMeaningEmbedder(), waiting } as never)
    await book.store()
    await book.pass()
    const answer = await ask(book, 'hospital', 't-2')
    expect(reasonOf(answer, 'no-vector')).toMatchObject({
      isComing: false,
      says: expect.stringContaining(waiting) as string,
    })
    expect(helps(answer).map(([code]) => code)).not.toContain('wait-for-vectors')
  })

  test('near, but an answer only beside one that shares words', async () => {
    const book = openWithVectors({ ...createMeaningEmbedder(), needsOtherAnswer: true } as never)
    await book.store()
    await book.pass()
    const answer = await ask(book, 'hospital', 't-1')
    expect(codes(answer)).toEqual(['no-common-word', 'needs-other-answer'])
    // Such an embedder never answers alone, so no similarity is enough.
    expect(reasonOf(answer, 'needs-other-answer').needed).toBeUndefined()
    expect(answer.legs.find(({ leg }) => leg === 'vector')?.isAnswer).toBe(false)
  })

  test('the leg and the reason name one similarity, that of an answer to this question', async () => {
    const embedder = createMeaningEmbedder()
    const book = openWithVectors({
      ...embedder,
      minSimilarity: undefined,
      // No two texts have quite the same meaning, and the question is nearest to t-1.
      embed: (texts: readonly string[]) =>
        Promise.resolve(
          texts.map((text) => {
            const near = text === 'hospital' ? 1 : text.includes('physician') ? 0.4 : 0.1
            return new Float32Array([near, Math.sqrt(1 - near * near), 0, 0])
          }),
        ),
    } as never)
    await book.store()
    await book.pass()
    const near = await ask(book, 'hospital', 't-1')
    const leg = near.legs.find((one) => one.leg === 'vector')
    const reason = reasonOf(near, 'needs-other-answer')
    expect([leg?.isCandidate, leg?.isAnswer, leg?.needed]).toEqual([true, false, reason.needed])
    expect(reason.needed).toBeGreaterThan(reason.similarity)
    expect(reason.says).toContain(`an answer needs ${reason.needed?.toFixed(2)}`)
    const far = await ask(book, 'hospital', 't-2')
    const { needed } = reasonOf(far, 'less-similar')
    expect(far.legs.find((one) => one.leg === 'vector')?.needed).toBe(needed)
  })

  test.each([
    ['a sealed record', { kid: 'k' }, 'hospital', 'sealed'],
    ['a text of which the embedder knows too little', {}, 'hospital', 'knows too little of the text'],
    ['a question without text', {}, ' ', 'question has no text'],
    ['a question that the embedder does not know', {}, 'strange', 'knows too little of the question'],
  ])('none for %s: waiting does not help', async (_name, row, text, says) => {
    const embedder = createMeaningEmbedder()
    const book = openWithVectors({
      ...embedder,
      embed: async (...call: Parameters<typeof embedder.embed>) => {
        const vectors = await embedder.embed(...call)
        return vectors.map((vector, i) =>
          /storm|strange/.test(call[0][i] ?? '') ? new Float32Array(vector.length) : vector,
        )
      },
    } as never)
    await book.store()
    await book.pass()
    const { store } = book.engine
    const { row: rowOf } = store.records
    const id = text === 'hospital' ? 't-3' : 't-2'
    Object.assign(store.records, {
      row: (one: string) => {
        const found = rowOf.call(store.records, one)
        return found && { ...found, ...row }
      },
    })
    const answer = await ask(book, text, id)
    const reason = reasonOf(answer, 'no-vector')
    expect([reason.isComing, reason.says.includes(says)]).toEqual([false, true])
    expect(helps(answer).map(([code]) => code)).not.toContain('wait-for-vectors')
    expect(answer.legs.find(({ leg }) => leg === 'vector')?.says).toBe(reason.says)
  })
})
