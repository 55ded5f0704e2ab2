// Passes, and its page never says that it is done: the answer to a call is lost with the connection.
import { client } from '@vitest/browser/client'
import { expect, it } from 'vitest'

const first = client.ws

it('passes before', () => {
  expect(first.readyState).toBe(WebSocket.OPEN)
})

it('passes while its connection is cut', () => {
  const send = first.send.bind(first)
  first.send = (text) => {
    send(text)
    first.close()
  }
  expect(first.readyState).toBe(WebSocket.OPEN)
})

it('passes after it', async () => {
  // Vitest's client connects again by itself.
  const isBack = () => client.ws !== first && client.ws.readyState === WebSocket.OPEN
  while (!isBack()) await new Promise((resolve) => requestAnimationFrame(resolve))
  expect(first.readyState).toBe(WebSocket.CLOSED)
})
