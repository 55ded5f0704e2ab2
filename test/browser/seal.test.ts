// Sensitive records in a browser: what its files and databases hold of them once the book is closed.
import { openDB } from 'idb'
import { expect, test } from 'vitest'
import { openDaybook } from '../../src/index.ts'

const name = `seal-${crypto.randomUUID().slice(0, 8)}`

/** How many bytes there are in all files below `folder`, and in how many places `word` stands in them. */
async function searchFiles(
  folder: FileSystemDirectoryHandle,
  word: string,
): Promise<{ bytes: number; found: number }> {
  let [bytes, found] = [0, 0]
  for await (const entry of folder.values()) {
    if (entry.kind === 'directory') {
      const below = await searchFiles(entry as FileSystemDirectoryHandle, word)
      bytes += below.bytes
      found += below.found
    } else {
      const content = new Uint8Array(await (await (entry as FileSystemFileHandle).getFile()).arrayBuffer())
      const text = new TextDecoder('latin1').decode(content).toLowerCase()
      bytes += content.length
      found += text.split(word).length - 1
    }
  }
  return { bytes, found }
}

test('the files hold nothing of them, and their key can be used and not read', async () => {
  const book = await openDaybook({ name, agent: 'test' })
  await book.perceptions.store({ content: 'Quagga in clear' })
  const { id } = await book.perceptions.store(
    { content: 'Zanzibar one', sensitivity: 'sensitive' },
    { requestId: 'r' },
  )
  await book.perceptions.update({ id, updates: { content: 'Zanzibar two' } })
  expect((await book.recall({ text: 'zanzibar' })).hits).toHaveLength(1)
  await book.close()
  const all = await (await navigator.storage.getDirectory()).getDirectoryHandle('daybook')
  const files = await all.getDirectoryHandle(name)
  expect((await searchFiles(files, 'quagga')).found).toBeGreaterThan(0)
  expect((await searchFiles(files, 'zanzibar')).found).toBe(0)

  const vault = await openDB('daybook-vault')
  const kept = String(await vault.get('vaults', name))
  const key = (await vault.get('keys', name)) as CryptoKey
  vault.close()
  expect(kept).toContain('"by":"device"')
  expect([key.type, key.extractable]).toEqual(['secret', false])

  await using again = await openDaybook({ name, agent: 'test' })
  expect(await again.records.get({ id })).toMatchObject({ content: 'Zanzibar two' })
})
