// Gzip off the main thread.
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'

const zip = promisify(gzip)

export async function nodeGzip(text: string): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await zip(text))
}
