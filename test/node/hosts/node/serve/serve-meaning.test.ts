// Vectors of `daybook serve`: its settings name the embedder of `POST /embed`; the recall of its mirrors is by words. A device
// that syncs with it makes its own vectors.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startEmbeddingServer } from '../../../../support/server/embedding-server.ts'
import { skipped } from '../postgres/postgres-world.ts'
import { createServeWorld } from './serve-world.ts'

const { closing, start, device, ask, run, open, close } = createServeWorld()

describe.skipIf(skipped !== '')(`Vectors at \`daybook serve\`${skipped}`, { timeout: 170_000 }, () => {
  beforeAll(open)
  afterAll(close)

  /** Status and recall of a mirror with two records. */
  async function mirrorOf(url: string, book: string) {
    const at = { url, book }
    for (const content of ['fix my car', 'buy bread and milk'])
      expect((await run(at, 'kstar:store_perception', { content })).status).toBe(200)
    const { body: state } = await run(at, 'embed:status', {})
    const { body: words } = await run(at, 'daybook:recall', { text: 'which car?' })
    const { body: meant } = await run(at, 'daybook:recall', { text: 'repair my automobile' })
    return { state, words: words['hits'], meant: meant['hits'], degraded: meant['degraded'] }
  }
  const byWords = {
    state: { provider: 'none', state: 'off' },
    words: [{ record: { content: 'fix my car' } }],
    meant: [],
    degraded: [],
  }

  it('by default it has no embedder, and says so; recall answers by words', async () => {
    const { url } = await start()
    expect(await ask(`${url}/embed`, { texts: ['car'] })).toMatchObject({
      status: 503,
      body: { code: 'embedder-off' },
    })
    expect(await mirrorOf(url, 'plain')).toMatchObject(byWords)
  })

  it('with `http` it embeds texts that a caller sends, and no records', async () => {
    const embedder = await startEmbeddingServer()
    closing.push(() => embedder.close())
    const settings = { DAYBOOK_EMBED_PROVIDER: 'http', DAYBOOK_EMBED_URL: embedder.url }
    const { url } = await start({ settings })
    expect(await ask(`${url}/embed`, { texts: ['car'] })).toEqual({
      status: 200,
      body: { embeddings: [[1, 0, 0, 0]], dimensions: 4 },
    })
    expect(await mirrorOf(url, 'served')).toMatchObject(byWords)
    expect(embedder.requests.map(({ body }) => body.texts)).toEqual([['car']])
  })

  it('refuses `meaning`, and names what it takes; all else works', async () => {
    const { url } = await start({ settings: { DAYBOOK_EMBED_PROVIDER: 'meaning' } })
    const { body } = await ask(`${url}/embed`, { texts: ['car'] })
    expect(body).toMatchObject({
      code: 'embedder-off',
      message: expect.stringContaining('takes `api`, `http` or `workers-ai`') as string,
    })
    expect(await mirrorOf(url, 'refused')).toMatchObject(byWords)
  })

  it('a device with a mirror there finds by meaning, without that server', async () => {
    const { url } = await start()
    const book = await device(url, 'by-meaning')
    await mirrorOf(url, 'by-meaning')
    await book.sync()
    await expect.poll(async () => (await book.embedder.status()).embedded, { timeout: 10_000 }).toBe(2)
    expect((await book.recall({ text: 'which car?' })).hits[0]?.because.vector?.rank).toBe(1)
  })
})
