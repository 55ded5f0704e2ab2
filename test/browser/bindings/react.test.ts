// `daybook/react` in React.
import { Component, createElement, type ReactNode, StrictMode, Suspense } from 'react'
import { createRoot } from 'react-dom/client'
import { renderToString } from 'react-dom/server'
import { expect, it, onTestFinished } from 'vitest'
import { useLive, useLiveSuspense } from '../../../src/bindings/react.ts'
import { type Daybook, openDaybook } from '../../../src/index.ts'
import { makeTrace } from '../../support/trace.ts'
import { bindingCases, type Given, textOf } from './binding-case.ts'

const Answer = ({ book, query }: Given) => textOf(useLive(book, query))

bindingCases('React', (root, given) => {
  const drawn = createRoot(root)
  const draw = (now: Given) => drawn.render(createElement(StrictMode, null, createElement(Answer, now)))
  draw(given)
  return { change: draw, unmount: () => drawn.unmount() }
})

it('A live query in React is loading on a server, where there is no book', () => {
  const text = renderToString(createElement(Answer, { book: undefined, query: undefined }))
  expect(text).toBe('loading | no data | no error')
})

const Count = ({ book, limit = 5 }: { book: Daybook; limit?: number }) =>
  `${useLiveSuspense(book, { method: 'traces.query', input: { limit } }).records.length} traces`

/** Shows the code of what its children threw. */
class Boundary extends Component<{ children: ReactNode }, { code?: string }> {
  override state: { code?: string } = {}
  static getDerivedStateFromError = ({ code }: { code: string }) => ({ code })
  override render() {
    return this.state.code ?? this.props.children
  }
}

it('A live query in React suspends until it is answered, is told anew, and throws its error', async () => {
  const book = await openDaybook({ name: `suspense-${crypto.randomUUID().slice(0, 8)}` })
  const root = document.createElement('main')
  document.body.append(root)
  const drawn = createRoot(root, { onCaughtError: () => undefined })
  onTestFinished(async () => {
    drawn.unmount()
    root.remove()
    await book.close()
  })
  const draw = (child: ReactNode) =>
    drawn.render(createElement(Boundary, null, createElement(Suspense, { fallback: 'waiting' }, child)))
  draw(createElement(Count, { book }))
  await expect.poll(() => root.textContent).toBe('waiting')
  await expect.poll(() => root.textContent).toBe('0 traces')
  await book.traces.store(makeTrace())
  await expect.poll(() => root.textContent).toBe('1 traces')
  draw(createElement(Count, { book, limit: -1 }))
  await expect.poll(() => root.textContent).toBe('invalid-input')
})
