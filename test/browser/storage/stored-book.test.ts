// Books that the code of every earlier schema wrote, opened from OPFS by this code.
import { expect, it } from 'vitest'
import { openDaybook } from '../../../src/index.ts'
import { expectStored } from '../../stored/expect-stored.ts'
import type { StoredBook } from '../../stored/stored-book.ts'
import { writeBookFile } from './book-file.ts'

const files = import.meta.glob<string>('../../stored/book/*.book', {
  query: '?url',
  import: 'default',
  eager: true,
})
const contents = import.meta.glob<StoredBook>('../../stored/book/*.json', { import: 'default', eager: true })
const run = crypto.randomUUID().slice(0, 8)

async function unpacked(url: string): Promise<Uint8Array<ArrayBuffer>> {
  const { body } = await fetch(url)
  if (!body) throw new Error(`Nothing at ${url}.`)
  return new Uint8Array(await new Response(body.pipeThrough(new DecompressionStream('gzip'))).arrayBuffer())
}

it('brings books of every earlier schema to the present one, and loses nothing', async () => {
  for (const [path, url] of Object.entries(files)) {
    const stored = contents[path.replace('.book', '.json')]
    if (!stored) throw new Error(`Nothing says what ${path} holds.`)
    const name = `stored-${stored.version}-${run}`
    await writeBookFile(name, await unpacked(url))
    await using book = await openDaybook({ name, agent: 'reader' })
    await expectStored(book, stored)
  }
  expect(Object.keys(files).length).toBeGreaterThanOrEqual(10)
})
