// What every binding of live queries must do, over a real book, in a page of its own framework.
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { openDaybook, type Daybook, type LiveQuery, type LiveSnapshot } from '../../../src/index.ts'
import { makeTrace } from '../../support/trace.ts'

export type TraceQuery = LiveQuery<'traces.query'>
export type TraceAnswer = LiveSnapshot<{
  readonly records: readonly { readonly task: { readonly goal?: unknown } }[]
}>

/** What a component of the framework is given. */
export interface Given {
  readonly book: Daybook | undefined
  readonly query: TraceQuery | undefined
}

export interface Mounted {
  change(given: Given): void
  unmount(): void
}

/** What a component shows of an answer. */
export function textOf({ status, data, error }: TraceAnswer): string {
  const goals = data?.records.map(({ task }) => String(task.goal)).toSorted()
  return [status, goals?.join(', ') ?? 'no data', error?.code ?? 'no error'].join(' | ')
}

/** `mount` draws, within `root`, a component that shows `textOf` of what it is told, for as long as it is there. */
export function bindingCases(name: string, mount: (root: HTMLElement, given: Given) => Mounted): void {
  const drawn = (given: Given) => {
    const root = document.createElement('main')
    document.body.append(root)
    const { change, unmount } = mount(root, given)
    let isGone = false
    const remove = () => {
      if (!isGone) unmount()
      isGone = true
      root.remove()
    }
    onTestFinished(remove)
    return { root, change, unmount: remove }
  }
  const open = async () => {
    const book = await openDaybook({ name: `binding-${crypto.randomUUID().slice(0, 8)}` })
    onTestFinished(() => book.close())
    return book
  }
  const shows = async (root: HTMLElement, text: string) => {
    await expect.poll(() => root.textContent).toBe(text)
  }
  const store = (book: Daybook, goal: string, domain: string) =>
    book.traces.store(makeTrace({ task: { goal }, situation: { domain } }))
  const of = (domain: string): TraceQuery => ({
    method: 'traces.query',
    input: { filters: { 'situation.domain': domain } },
  })

  describe(`A live query in ${name}`, () => {
    it('is drawn while it loads, when it is answered, and whenever the book changes', async () => {
      const book = await open()
      await store(book, 'one', 'a')
      const { root } = drawn({ book, query: of('a') })
      await shows(root, 'ready | one | no error')
      await store(book, 'two', 'a')
      await shows(root, 'ready | one, two | no error')
    })

    it('keeps what was drawn while another query is answered, and shows nothing of another book', async () => {
      const book = await open()
      await store(book, 'one', 'a')
      await store(book, 'two', 'b')
      const { root, change } = drawn({ book, query: of('a') })
      await shows(root, 'ready | one | no error')
      const seen = new Set<string>()
      const observer = new MutationObserver(() => seen.add(root.textContent))
      observer.observe(root, { childList: true, characterData: true, subtree: true })
      change({ book, query: of('b') })
      await shows(root, 'ready | two | no error')
      expect([...seen].filter((text) => text.includes('no data'))).toEqual([])
      const other = await open()
      change({ book: other, query: of('b') })
      await shows(root, 'ready |  | no error')
      expect([...seen].filter((text) => text.startsWith('loading | two'))).toEqual([])
      observer.disconnect()
    })

    it('shows the error of a query that fails', async () => {
      const book = await open()
      const { root } = drawn({ book, query: { method: 'traces.query', input: { limit: -1 } } })
      await shows(root, 'error | no data | invalid-input')
    })

    it('listens no more once it is gone', async () => {
      const book = await open()
      const off = vi.fn<() => void>()
      const on = book.live(of('a'))
      const subscribe = on.subscribe
      vi.spyOn(on, 'subscribe').mockImplementation((listener) => {
        const end = subscribe(listener)
        return () => {
          off()
          end()
        }
      })
      const { root, unmount } = drawn({ book, query: of('a') })
      await shows(root, 'ready |  | no error')
      const begun = vi.mocked(on.subscribe).mock.calls.length
      unmount()
      await expect.poll(() => off.mock.calls.length).toBe(begun)
      expect(begun).toBeGreaterThan(0)
    })

    it('waits for a book that is not open yet', async () => {
      const { root, change } = drawn({ book: undefined, query: of('a') })
      await shows(root, 'loading | no data | no error')
      const book = await open()
      await store(book, 'one', 'a')
      change({ book, query: undefined })
      await shows(root, 'loading | no data | no error')
      change({ book, query: of('a') })
      await shows(root, 'ready | one | no error')
    })
  })
}
