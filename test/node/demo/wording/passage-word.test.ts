// What the inspector quotes of a hit, from recalls of a real book: text in pieces, with the words that were met.
import { expect, it } from 'vitest'
import { matchedPieces, passageOf } from '../../../../demo/wording/passage-word.ts'
import { openDaybook } from '../../../../src/hosts/node/index.ts'

/** The pieces quoted of the best hit for `question` in a book that has `content` alone. */
async function quoted(content: string, question: string) {
  await using book = await openDaybook({ name: 'quoted', path: ':memory:' })
  await book.perceptions.store({ subject: 'ana', content })
  const { hits } = await book.recall({ text: question })
  return hits.slice(0, 1).flatMap(passageOf)
}

const marked = (pieces: Awaited<ReturnType<typeof quoted>>) =>
  pieces.flatMap(({ text, isMatch }) => (isMatch ? [text] : []))

it('shows the match of a text whose match stands far behind its beginning', async () => {
  const pieces = await quoted(
    `${'Weather was fine and cold. '.repeat(18)}Then Zoe mended the harpsichord.`,
    'harpsichord',
  )
  expect(marked(pieces)).toEqual(['harpsichord'])
  expect(pieces[0]?.text.startsWith('…')).toBe(true)
})

it('leaves markup of a record as text and marks no part of a word', async () => {
  const pieces = await quoted('<mark>harp</mark> and harpsichord', 'harp')
  expect(pieces.map(({ text }) => text).join('')).toBe('<mark>harp</mark> and harpsichord')
  expect(marked(pieces)).toEqual(['harp'])
})

it.each([
  ['exercise', 'Ana solved the exercises.', ['exercises']],
  ['cafe', 'The Café is open.', ['Café']],
  ['acme-42', 'Order acme-42, not 42341 or acmeX', ['acme', '42', 'acmeX']],
  ['lantern', 'Nothing of that here', []],
])('marks what a search for %s has met', (search, text, found) => {
  expect(marked(matchedPieces({ content: text }, search))).toEqual(found)
})

it('shows what a search has met from near its first word', () => {
  const pieces = matchedPieces(
    { content: `${'Far before it. '.repeat(40)}The harbour lamp is green.` },
    'lamp',
  )
  const said = pieces.map(({ text }) => text).join('')
  expect(said).toMatch(/^….{0,30}lamp is green\.$/)
})
