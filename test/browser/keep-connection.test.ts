// A page whose connection to the runner is cut gets its answers over the next one, as keep-connection.ts promises.
import { client } from '@vitest/browser/client'
import { commands } from 'vitest/browser'
import { expect, it } from 'vitest'

it('has a call answered whose answer was lost with the connection', async () => {
  const { ws } = client
  const answer = commands.readFile('package.json')
  ws.close()
  expect(await answer).toContain('"name": "daybook"')
  expect(client.ws).not.toBe(ws)
})

it('has a call answered that was made while there was no connection', async () => {
  const { ws } = client
  const closed = new Promise((resolve) => ws.addEventListener('close', resolve))
  ws.close()
  await closed
  expect(await commands.readFile('package.json')).toContain('"name": "daybook"')
  expect(client.ws).not.toBe(ws)
})
