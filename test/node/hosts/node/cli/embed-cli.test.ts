// `daybook embed`: an embedder for hosts over MCP and HTTP; and the embedder that options and the environment choose.
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { once } from 'node:events'
import { request } from 'node:http'
import { expect, it } from 'vitest'
import { embedderChoice } from '../../../../../src/hosts/node/cli/embedder-choice.ts'
import { callTool, newClient } from '../../../../contract/mcp/mcp.ts'
import { cli, ended, startDaybook } from '../command-line.ts'

interface Embedded {
  readonly embeddings: number[][]
  readonly dimensions: number
}

/** Posts `body` to `url` with `headers`, which `fetch` would not send. */
async function post(url: string, body: string, headers: Record<string, string> = {}) {
  const sent = request(url, { method: 'POST', headers: { 'content-type': 'application/json', ...headers } })
  sent.end(body)
  const [answer] = (await once(sent, 'response')) as [import('node:http').IncomingMessage]
  let text = ''
  for await (const part of answer.setEncoding('utf8')) text += String(part)
  return { status: answer.statusCode, body: JSON.parse(text) as Embedded & { code?: string } }
}

it('embeds for a host over MCP, for other programs over HTTP, and for no page', async () => {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [cli, 'embed', '--port', '0'],
    stderr: 'pipe',
  })
  const client = newClient('legacy')
  let noted = ''
  const address = new Promise<string>((resolve) => {
    transport.stderr?.on('data', (part: Buffer) => {
      noted += part.toString()
      const [, url] = /Embedding at (\S+)\n/.exec(noted) ?? []
      if (url !== undefined) resolve(url)
    })
  })
  await client.connect(transport)
  const { tools } = await client.listTools()
  expect(tools.map(({ name }) => name)).toEqual(['embed', 'embed_batch'])
  const { value } = await callTool(client, 'embed', { texts: ['the cat sleeps', 'a kitten naps'] })
  const { embeddings, dimensions } = value as unknown as Embedded
  expect([embeddings.length, embeddings[0]?.length]).toEqual([2, dimensions])
  const url = await address
  const texts = JSON.stringify({ texts: ['the cat sleeps', 'a kitten naps'] })
  expect(await post(url, texts)).toMatchObject({ status: 200, body: { embeddings, dimensions } })
  expect(await post(url, '{"texts":7}')).toMatchObject({ status: 400, body: { code: 'invalid-input' } })
  expect(await post(url, '{')).toMatchObject({ status: 400 })
  expect((await post(url, texts, { origin: 'https://page.example' })).status).toBe(403)
  expect((await post(url, texts, { host: 'rebound.example' })).status).toBe(403)
  await client.close()
  await expect(post(url, texts)).rejects.toThrow(/ECONNREFUSED|ECONNRESET/)
})

it('a tool of a host embeds too, and an embedder without texts is refused', async () => {
  const called = await ended(
    startDaybook(['mcp', 'call', 'embed', '--arg', 'texts=["tea"]', '--book', ':memory:']),
  )
  expect((JSON.parse(called.stdout) as Embedded).embeddings).toHaveLength(1)
  expect(await ended(startDaybook(['embed', '--embedder', 'none']))).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('embeds no texts'),
  })
})

it.each([
  [undefined, {}, undefined],
  ['none', { DAYBOOK_EMBED_URL: 'http://x' }, { provider: 'none' }],
  ['http://127.0.0.1:8401/embed', {}, { provider: 'http', url: 'http://127.0.0.1:8401/embed' }],
  ['local:Xenova/gte', {}, { provider: 'local', model: 'Xenova/gte' }],
  ['api:small', { DAYBOOK_EMBED_KEY: 'k' }, { provider: 'api', key: 'k', model: 'small' }],
  [undefined, { DAYBOOK_EMBED_URL: 'http://x' }, { provider: 'http', url: 'http://x' }],
  [undefined, { DAYBOOK_EMBED_PROVIDER: 'meaning' }, { provider: 'meaning' }],
  [
    undefined,
    { DAYBOOK_EMBED_KEY: 'k', DAYBOOK_EMBED_MODEL: 'm' },
    { provider: 'api', key: 'k', model: 'm' },
  ],
  [
    undefined,
    { KS22_EMBEDDING_MODE: 'http', KS22_EMBEDDING_URL: 'http://127.0.0.1:8401/embed' },
    { provider: 'http', url: 'http://127.0.0.1:8401/embed' },
  ],
  [undefined, { KS22_EMBEDDING_MODE: 'none' }, { provider: 'none' }],
  [undefined, { KS22_EMBEDDING_MODE: 'local' }, { provider: 'local', model: 'Xenova/all-MiniLM-L6-v2' }],
  [undefined, { EMBEDDING_PROVIDER: 'onnx_miniml' }, { provider: 'local', model: 'Xenova/all-MiniLM-L6-v2' }],
  [
    undefined,
    { EMBEDDING_PROVIDER: 'api_openai', EMBEDDING_API_KEY: 'k' },
    { provider: 'api', key: 'k', model: 'text-embedding-3-small' },
  ],
] as const)('--embedder %s with %j is %j', (name, env, expected) => {
  expect(embedderChoice(name, env)).toEqual(expected)
})

it('refuses an unknown embedder, and one without its key or address', () => {
  expect(() => embedderChoice('word2vec', {})).toThrow(/no embedder `word2vec`/)
  expect(() => embedderChoice('api:small', {})).toThrow(/DAYBOOK_EMBED_KEY/)
  expect(() => embedderChoice(undefined, { KS22_EMBEDDING_MODE: 'http' })).toThrow(/needs its address/)
})
