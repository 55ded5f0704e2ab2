// Runs the law of `Keyring` where a book's engine runs: in a worker.
import { openBrowserKeyring } from '../../src/hosts/browser/key/key-store.ts'
import { keyringCases } from '../contract/port/keyring-case.ts'

self.onmessage = async ({ data }: MessageEvent<{ index: number; run: string }>) => {
  try {
    const open = (book: string) =>
      openBrowserKeyring(`${data.run}-${data.index}-${book}`, { isDurable: true })
    self.postMessage({ answer: await keyringCases[data.index]?.run(open) })
  } catch (error) {
    self.postMessage({ failure: String(error) })
  }
}
