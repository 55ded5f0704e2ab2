// A file is read no further than it is taken, and its source does not wait for a reader for ever.
import { expect, it } from 'vitest'
import { openDaybook } from '../../../src/hosts/node/index.ts'
import { failure } from '../../contract/book-case.ts'

const open = () => openDaybook({ name: 'files', path: ':memory:' })

it.each(['x', ' '])('reads no more of an endless file of %j than it takes', async (mark) => {
  await using book = await open()
  let pieces = 0
  let isLeft = false
  async function* endless() {
    try {
      for (;;) {
        pieces += 1
        yield mark.repeat(1_000_000)
      }
    } finally {
      isLeft = true
    }
  }
  expect(await failure(book.import(endless()))).toMatchObject({
    code: 'too-large',
    details: { file: 'file', limitCharacters: 20_000_000 },
  })
  expect(isLeft).toBe(true)
  expect(pieces).toBeLessThan(41)
})

it('reads no more of a file that is refused by its beginning', async () => {
  await using book = await open()
  let isLeft = false
  async function* lines() {
    try {
      yield '[{"role":"user","content":"Hello"}]'
      yield ' '
    } finally {
      isLeft = true
    }
  }
  expect(await failure(book.import(lines(), { kinds: ['trace'] }))).toMatchObject({ code: 'invalid-input' })
  expect(isLeft).toBe(true)
})
