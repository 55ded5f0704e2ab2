// A bundle as a stream: an export whose reader stops is cancelled in the engine.
import { expect, it } from 'vitest'
import { exportStream, type WebStreams } from '../../../src/book/book-stream.ts'

const web = globalThis as unknown as WebStreams

it('cancels the export when its reader stops while the next page is fetched', async () => {
  const calls: Record<string, unknown>[] = []
  const secondPage = Promise.withResolvers<{ text: string; cursor: string }>()
  const stream = (await exportStream(
    web,
    (input) => {
      calls.push(input)
      return calls.length === 2 ? secondPage.promise : Promise.resolve({ text: 'page', cursor: 'c' })
    },
    { kinds: ['trace'] },
  )) as ReadableStream<Uint8Array>
  const reader = stream.getReader()
  await reader.read()
  await reader.cancel()
  secondPage.resolve({ text: 'page', cursor: 'c' })
  expect(calls).toEqual([{ kinds: ['trace'] }, { cursor: 'c' }, { cursor: 'c', cancel: true }])
})

it('cancels nothing after the last page', async () => {
  const calls: unknown[] = []
  const stream = (await exportStream(
    web,
    (input) => {
      calls.push(input)
      return Promise.resolve({ text: 'page', ...(calls.length === 1 ? { cursor: 'c' } : {}) })
    },
    {},
  )) as ReadableStream<Uint8Array>
  expect(await new Response(stream).text()).toBe('pagepage')
  expect(calls).toEqual([{}, { cursor: 'c' }])
})
