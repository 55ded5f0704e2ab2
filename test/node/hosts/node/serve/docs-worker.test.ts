// What docs/connect.md gives a Worker and whoever speaks HTTP, as it stands there: the Worker in workerd, the line of curl as the
// request that it makes; the edge is `daybook serve`, its address and its key are put in.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import { rolldown } from 'rolldown'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { root } from '../../../../../scripts/place.mjs'
import { skipped } from '../postgres/postgres-world.ts'
import { createServeWorld } from './serve-world.ts'

const page = readFileSync(join(root, 'docs/connect.md'), 'utf8')
const [, section = ''] = page.split(/^## A Worker, or another agent$/m)

function fence(words: string): string {
  const [, text = ''] = new RegExp(`^\`\`\`${words}\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(section) ?? []
  return text
}

/** The Worker of the page as one file, with the client as this repository has it. */
async function bundled(): Promise<string> {
  const entry = 'worker-of-the-page'
  const bundle = await rolldown({
    cwd: root,
    input: entry,
    platform: 'browser',
    resolve: { alias: { 'daybook/client': join(root, 'src/doors/p3394/client.ts') } },
    plugins: [
      {
        name: 'page',
        resolveId: (id) => (id === entry ? join(root, `${entry}.js`) : undefined),
        load: (id) => (id.endsWith(`${entry}.js`) ? fence('js worker') : undefined),
      },
    ],
  })
  const { output } = await bundle.generate({ format: 'es', codeSplitting: false })
  await bundle.close()
  return output[0].code
}

/** Address, headers and body of a call of curl. */
function requestOf(line: string): Request {
  const [, url = ''] = /curl (\S+)/.exec(line) ?? []
  const headers = [...line.matchAll(/-H '([^:]+): ([^']+)'/g)].map(([, name = '', value = '']) => [
    name,
    value,
  ])
  const [, body = ''] = /-d '([^']+)'/.exec(line) ?? []
  return new Request(url, { method: 'POST', headers: headers as [string, string][], body })
}

describe.skipIf(skipped !== '')(`A Worker, or another agent${skipped}`, () => {
  const { start, run, open, close } = createServeWorld()
  const there = { url: '', book: 'tutor' }
  const fact = { schema: 'note', data: { text: 'The tutor knows that Ann likes tea' } }
  let key = ''
  beforeAll(async () => {
    await open()
    there.url = (await start()).url
    await run(there, 'kstar:store_fact', fact)
    const guest = { name: 'worker', permissions: ['read'] }
    key = String((await run(there, 'daybook:create_access_key', guest)).body['key'])
  })
  afterAll(close)

  it('the Worker answers what the memory knows', async () => {
    const worker = new Miniflare(
      convertV4MiniflareOptions({
        modules: true,
        script: await bundled(),
        compatibilityDate: '2026-10-20',
        bindings: { MEMORY_URL: there.url, MEMORY_KEY: key },
      }),
    )
    try {
      const answer = await worker.dispatchFetch('http://worker.example.com/?q=what+does+Ann+like')
      expect([answer.status, await answer.json()]).toEqual([200, [fact.data]])
    } finally {
      await worker.dispose()
    }
  })

  it('the line of curl is answered, and so are the addresses that need no key', async () => {
    const line = fence('sh').replace('https://memory.example.com', there.url).replace('dbk1.…', key)
    const answer = await fetch(requestOf(line))
    expect(answer.status).toBe(200)
    expect(await answer.json()).toMatchObject({ hits: [{ record: fact }] })
    for (const path of ['/manifest', '/openapi.json']) {
      expect(section).toContain(`GET ${path}`)
      expect((await fetch(`${there.url}${path}`)).status).toBe(200)
    }
  })
})
