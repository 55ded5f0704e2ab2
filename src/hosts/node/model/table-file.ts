// Reads the table of the embedder `meaning` in Node: the file of the package, another file, or an address.
import { readFile, stat } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { DaybookError, isDaybookError } from '../../../core/errors.ts'
import { tableStatusError } from '../../../recall/embed/meaning/table-fault.ts'
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
    // A device or a pipe may have no end.
    if (!(await stat(place)).isFile()) throw Object.assign(new Error(), { code: notFile })
    return new Uint8Array(await readFile(place))
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code ?? 'unknown'
    const file = typeof place === 'string' ? place : fileURLToPath(place)
    const message = `The file of its table can not be read (${code}): ${file}. ${remedyOf(code, typeof place === 'string')}`
    throw new DaybookError('embedder-failed', message, { cause })
  }
}

const notFile = 'no file'

/** `isNamed`: the caller named the file; else it is that of the package. */
function remedyOf(code: string, isNamed: boolean): string {
  if (code !== 'ENOENT' && code !== notFile) return 'Allow this process to read it.'
  if (isNamed) return 'Put `dist/meaning.bin` of this version of the package there.'
  return "If your program is bundled, leave `daybook` out of the bundle, or open the book with `embedder: { provider: 'meaning', path }`."
}

async function fetchTable(url: string): Promise<Uint8Array> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(deadlineMs) })
    if (!response.ok) throw tableStatusError(url, response.status)
    return new Uint8Array(await response.arrayBuffer())
  } catch (cause) {
    if (isDaybookError(cause)) throw cause
    const message = `The file of its table could not be fetched from ${url}: ${reasonOf(cause)}. Check the address and the network.`
    throw new DaybookError('embedder-failed', message, { cause })
  }
}

/** The code of a network error, such as ECONNREFUSED; `fetch` has it in the cause of a plain error. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error.name === 'TimeoutError') return `nothing came within ${deadlineMs / 1000} s`
  const { cause } = error
  const first = cause instanceof AggregateError ? (cause.errors[0] as unknown) : cause
  return first instanceof Error && 'code' in first ? String(first.code) : error.message
}
