// The end of a book and of its handles reaches every listener once, also one that comes late.
import { expect, it } from 'vitest'
import { createBookEnd } from '../../../src/book/book-end.ts'

it('calls a listener of a handle once, whether the handle or the book ends', () => {
  const book = createBookEnd()
  const [ended, outlived] = [createBookEnd(book), createBookEnd(book)]
  const calls: string[] = []
  ended.onEnd(() => calls.push('ended'))
  outlived.onEnd(() => calls.push('outlived'))
  ended.end()
  book.end()
  ended.end()
  expect(calls).toEqual(['ended', 'outlived'])
})

it('calls a listener at once that comes after the end', () => {
  const book = createBookEnd()
  const handle = createBookEnd(book)
  handle.end()
  const calls: string[] = []
  handle.onEnd(() => calls.push('late'))
  expect(calls).toEqual(['late'])
  book.end()
  expect(calls).toEqual(['late'])
})

it('calls the first listener of a handle whose book has ended', () => {
  const book = createBookEnd()
  const handle = createBookEnd(book)
  book.end()
  const calls: string[] = []
  handle.onEnd(() => calls.push('first'))
  expect(calls).toEqual(['first'])
})
