// Rows of a long list are there when the reader comes to them: pages are loaded ahead of where he scrolls, the ones on show first.
import { expect, it } from 'vitest'
import { RowPages, pageRows } from '../../../../../demo/state/list/row-page.ts'

const count = 100 * pageRows

/** A list of numbers, each page answered when `answer` says so, and which pages were asked for. */
function createNumbers({ ahead = 0 } = {}) {
  const asked: number[] = []
  const waiting: (() => void)[] = []
  const pageOf = (page: number) => ({
    rows: Array.from({ length: pageRows }, (_, i) => page * pageRows + i),
    hasMore: true,
  })
  const pages = new RowPages(
    async (page) => {
      asked.push(page)
      await new Promise<void>((resolve) => waiting.push(resolve))
      return pageOf(page)
    },
    { first: pageOf(0), ahead },
  )
  pages.setCount(count)
  /** Answers whatever is asked for until nothing more is. */
  const answerAll = async () => {
    for (let answer = waiting.shift(); answer; answer = waiting.shift()) {
      answer()
      await Promise.resolve()
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
  return { pages, asked, answerAll }
}

it('loads nothing more for a reader who has not moved', async () => {
  const { pages, asked, answerAll } = createNumbers()
  pages.show(0, 25)
  await answerAll()
  expect(asked).toEqual([])
})

it('loads as many pages as it is told to before anyone scrolls, once it knows how many there are, and comes to rest', async () => {
  const { pages, asked, answerAll } = createNumbers({ ahead: 3 })
  let isAtRest = false
  const rest = pages.rest().then(() => {
    isAtRest = true
  })
  expect([asked, isAtRest]).toEqual([[1, 2], false])
  await answerAll()
  await rest
  expect([asked, isAtRest]).toEqual([[1, 2, 3], true])
})

it('has the rows of a reader who scrolls quickly before he comes to them', async () => {
  const { pages, answerAll } = createNumbers()
  const missing: number[] = []
  for (let first = 0; first < 40 * pageRows; first += 11) {
    pages.show(first, first + 25)
    if (first > 0 && pages.at(first + 25) === undefined) missing.push(first)
    await answerAll()
  }
  expect(missing).toEqual([])
})

it('has them on the way back too', async () => {
  const { pages, answerAll } = createNumbers()
  const middle = 60 * pageRows + 30
  pages.show(middle, middle + 25)
  await answerAll()
  const missing: number[] = []
  for (let first = middle - 11; first > 0; first -= 11) {
    pages.show(first, first + 25)
    if (pages.at(first) === undefined) missing.push(first)
    await answerAll()
  }
  expect(missing).toEqual([])
})

it('asks for what is on show before what lies ahead, and for nothing beyond the end', async () => {
  const { pages, asked, answerAll } = createNumbers()
  pages.show(50 * pageRows, 50 * pageRows + 25)
  await answerAll()
  expect(asked[0]).toBe(50)
  expect(asked.slice(1)).toEqual([51, 52, 53, 54, 55, 56])
  asked.length = 0
  pages.show(count - 20, count - 1)
  await answerAll()
  expect(asked).toEqual([99])
})
