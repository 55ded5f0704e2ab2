// The network of a URL, as Local Network Access counts it, and the error of a blocked request.
import { afterEach, describe, expect, it, vi } from 'vitest'
import { localFetch, localNetwork } from '../../../../src/hosts/browser/port/local-network.ts'

afterEach(() => vi.unstubAllGlobals())

/** A page at `address` of a browser whose user has not answered yet. */
function openPage(address: string, origin = new URL(address).origin): void {
  vi.stubGlobal('location', { href: address, origin })
  vi.stubGlobal('navigator', { permissions: { query: () => Promise.resolve({ state: 'prompt' }) } })
}

describe('a page of the internet', () => {
  it.each([
    ['https://127.0.0.1:8787', 'prompt'],
    ['http://localhost:8787', 'prompt'],
    ['https://10.1.2.3', 'prompt'],
    ['https://172.20.0.1', 'prompt'],
    ['https://192.168.1.10', 'prompt'],
    ['https://100.101.102.103', 'prompt'],
    ['https://[fd00::1]', 'prompt'],
    ['https://printer.local', 'prompt'],
    ['https://10.example.com', 'unneeded'],
    ['https://127.example.com', 'unneeded'],
    ['https://192.168.example.com', 'unneeded'],
    ['https://100.128.0.1', 'unneeded'],
    ['https://172.32.0.1', 'unneeded'],
    ['https://memory.example', 'unneeded'],
  ])('needs a permission for %s: %s', async (url, state) => {
    openPage('https://app.example/index.html')
    expect(await localNetwork.state(url)).toBe(state)
  })
})

it('gives a worker of a blob address the network of its page', async () => {
  openPage('blob:http://localhost:5173/0a1b', 'http://localhost:5173')
  expect(await localNetwork.state('https://127.0.0.1:8787')).toBe('unneeded')
})

it('treats a page of an opaque origin as one of the internet', async () => {
  openPage('data:text/html,page', 'null')
  expect(await localNetwork.state('https://127.0.0.1:8787')).toBe('prompt')
})

describe('a request that failed', () => {
  it.each(['/health', 'http://['])('rejects with its own error for %s', async (target) => {
    openPage('https://app.example/index.html')
    const failure = new TypeError('Failed to fetch')
    vi.stubGlobal('fetch', () => Promise.reject(failure))
    await expect(localFetch(target)).rejects.toBe(failure)
  })

  it('rejects with local-network-blocked for a local address', async () => {
    openPage('https://app.example/index.html')
    vi.stubGlobal('fetch', () => Promise.reject(new TypeError('Failed to fetch')))
    await expect(localFetch('https://192.168.1.10/health')).rejects.toMatchObject({
      code: 'local-network-blocked',
      details: { address: 'https://192.168.1.10', permission: 'prompt' },
    })
  })
})
