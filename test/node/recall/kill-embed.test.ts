// A real process that is killed in the middle of embedding: what was kept is not made again, the rest is, and none is lost.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openDaybook } from '../../../src/hosts/node/index.ts'
import { startEmbeddingServer } from '../../support/server/embedding-server.ts'

const entry = JSON.stringify(new URL('../../../src/hosts/node/index.ts', import.meta.url).href)

test('embedding goes on where a killed process was', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'daybook-kill-embed-'))
  const server = await startEmbeddingServer()
  onTestFinished(async () => {
    await server.close()
    rmSync(folder, { recursive: true, force: true })
  })
  const options = {
    name: 'kill',
    path: join(folder, 'kill.daybook'),
    embedder: {
      provider: 'http',
      url: `${server.url}/embed`,
      model: 'm',
      // All of these texts mean nearly the same, so none stands out.
      minSimilarity: 0.5,
    },
  } as const
  const asked = () => server.requests.flatMap(({ body }) => body.texts ?? [])

  // It learns the dimensions, gets the first hundred vectors, and never an answer for the second.
  const hanging = new Promise<void>((resolve) => {
    server.misbehave = (response, texts) => {
      if (server.requests.length > 2) return resolve()
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ embeddings: texts.map(() => [0, 1, 0, 0]), dimensions: 4 }))
    }
  })
  const source = `
    import { openDaybook } from ${entry}
    const book = await openDaybook(${JSON.stringify(options)})
    const traces = Array.from({ length: 250 }, (_, i) => ({
      id: 't-' + i, situation: { domain: 'd' }, task: { goal: 'ask physician ' + i }, action: { type: 'note' },
    }))
    await book.traces.storeMany({ traces })
    setInterval(() => {}, 1000)`
  const child = spawn(process.execPath, ['--no-warnings', '--input-type=module', '--eval', source], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const ended = once(child, 'exit')
  await hanging
  child.kill('SIGKILL')
  await ended
  const kept = new Set(server.requests[1]?.body.texts)
  expect(kept.size).toBe(100)

  server.misbehave = undefined
  server.requests.length = 0
  await using book = await openDaybook(options)
  await new Promise<void>((resolve) => {
    const look = () =>
      void book.embedder.status().then(({ state, behind }) => {
        if (state === 'ready' && behind === 0) resolve()
      })
    book.on('progress', look)
    look()
  })
  expect(await book.embedder.status()).toMatchObject({
    total: 250,
    embedded: 250,
    fingerprint: 'http|m|4|true',
  })
  expect(asked().length).toBe(150)
  expect(asked().some((text) => kept.has(text))).toBe(false)
  expect((await book.recall({ text: 'hospital', limit: 5 })).hits.length).toBe(5)
})
