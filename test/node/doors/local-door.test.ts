// The shortest door: a call in this thread ends when its deadline or its signal does, and what it waits for is told so.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, expect, it } from 'vitest'
import { openDaybook } from '../../../src/hosts/node/index.ts'
import { failure } from '../../contract/book-case.ts'

// It takes every question and answers none.
const server = createServer((request) => request.resume()).listen(0, '127.0.0.1')
await once(server, 'listening')
afterAll(() => {
  server.closeAllConnections()
  server.close()
})
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
const open = () => openDaybook({ name: 'timed', path: ':memory:', embedder: { provider: 'http', url } })

it('ends a call at its deadline', async () => {
  await using book = await open()
  const late = await failure(book.embedder.embed({ texts: ['one'] }, { deadlineMs: 50 }))
  expect(late).toMatchObject({ code: 'deadline-exceeded', details: { deadlineMs: 50 } })
})

it('ends a call that has a deadline by its signal as well', async () => {
  await using book = await open()
  const abort = new AbortController()
  const call = book.embedder.embed({ texts: ['one'] }, { deadlineMs: 50_000, signal: abort.signal })
  abort.abort()
  expect((await failure(call)).code).toBe('aborted')
  const { signal } = abort
  expect((await failure(book.status({}, { deadlineMs: 50_000, signal }))).code).toBe('aborted')
})

it('answers in time what can be answered in time', async () => {
  await using book = await open()
  expect((await book.status({}, { deadlineMs: 50_000 })).records).toEqual({})
})
