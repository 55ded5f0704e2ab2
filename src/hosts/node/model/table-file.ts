// Reads the table of the embedder `meaning` in Node: the file of the package, another file, or an address.
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { DaybookError } from '../../../core/errors.ts'
import type { TableHost } from '../../../recall/embed/meaning/table-host.ts'

const deadlineMs = 120_000

export const nodeTableHost: TableHost = {
  readTable({ url, path, onProgress }) {
    if (path !== undefined) return readTableFile(path)
    if (url === undefined) return readTableFile(new URL('../../../../assets/meaning.bin', import.meta.url))
    if (/^file:/i.test(url)) return readTableFile(new URL(url))
    onProgress({ done: 0, total: 0, why: 'Its table is being loaded.' })
    return fetchTable(url)
  },
}

async function readTableFile(place: string | URL): Promise<Uint8Array> {
  try {
    return new Uint8Array(await readFile(place))
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code ?? 'unknown'
    const file = typeof place === 'string' ? place : fileURLToPath(place)
    const remedy =
      typeof place === 'string'
        ? ''
        : " If your program is bundled, leave `daybook` out of the bundle, or open the book with `embedder: { provider: 'meaning', path }`."
    const message = `The file of its table can not be read (${code}): ${file}.${remedy}`
    throw new DaybookError('embedder-failed', message, { cause, retry: code !== 'ENOENT' })
  }
}

async function fetchTable(url: string): Promise<Uint8Array> {
  const response = await fetch(url, { signal: AbortSignal.timeout(deadlineMs) }).catch((cause: unknown) => {
    throw new DaybookError('embedder-failed', 'The file of its table could not be fetched.', { cause })
  })
  if (!response.ok)
    throw new DaybookError('embedder-failed', `The file of its table: status ${response.status}.`)
  return new Uint8Array(await response.arrayBuffer())
}
