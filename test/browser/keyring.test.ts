import { expect, it } from 'vitest'
import { openDB } from 'idb'
import { openBrowserKeyring } from '../../src/hosts/browser/key/key-store.ts'
import { keyringContract } from '../contract/port/keyring.ts'

const worker = new Worker(new URL('./keyring.worker.ts', import.meta.url), { type: 'module' })
const run = crypto.randomUUID().slice(0, 8)

keyringContract('a worker, Chromium, keys in IndexedDB', async (index) => {
  const answered = new Promise<{ answer?: unknown; failure?: string }>((resolve) => {
    worker.onmessage = ({ data }) => resolve(data as never)
  })
  worker.postMessage({ index, run })
  const { answer, failure } = await answered
  expect(failure).toBeUndefined()
  return answer
})

it('keeps a private key that no script can read', async () => {
  const book = `unread-${run}`
  await openBrowserKeyring(book, { isDurable: true }).signer()
  const db = await openDB('daybook-keys', 1)
  const { privateKey } = (await db.get('pairs', book)) as CryptoKeyPair
  db.close()
  expect(privateKey).toMatchObject({ extractable: false, usages: ['sign'] })
  await expect(crypto.subtle.exportKey('pkcs8', privateKey)).rejects.toThrow(/not extractable/)
})

it('keeps nothing for a book in memory', async () => {
  const book = `memory-${run}`
  expect(await openBrowserKeyring(book, { isDurable: false }).signer()).toBeDefined()
  const db = await openDB('daybook-keys', 1)
  expect(await db.get('pairs', book)).toBeUndefined()
  db.close()
})
