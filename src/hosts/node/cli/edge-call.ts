// A call of a capability at an edge, for the commands that work there. The key comes from the environment: arguments can be
// read by every process of the machine.
import { checkAddress, checkKey } from '../../../core/address.ts'
import { checkBookName } from '../../../core/book.ts'
import { DaybookError, type ErrorShape, isDaybookError } from '../../../core/errors.ts'
import { type Values, textOf } from './command.ts'
import { UsageError } from './usage-error.ts'

const deadlineMs = 30_000

export const edgeOptions = { edge: { type: 'string' }, book: { type: 'string' } } as const
export const edgeHelp = {
  edge: '<url>     the address of the edge; its key is read from DAYBOOK_KEY',
  book: '<name>    the book there',
}

/** Calls `id` on the book that `values` name, and answers its output. */
export async function callEdge(
  values: Values,
  id: string,
  input: object,
  signal: AbortSignal,
): Promise<unknown> {
  const { url, authorization } = readPlace(values)
  const response = await fetch(`${url}/capabilities/${id}`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify(input),
    // The key goes to this address and no other.
    redirect: 'error',
    signal: AbortSignal.any([signal, AbortSignal.timeout(deadlineMs)]),
  }).catch((cause: unknown) => {
    throw new DaybookError('offline', `${url} could not be reached.`, { cause })
  })
  const answer: unknown = await response.json().catch(() => undefined)
  if (response.ok) return answer
  const shape = answer as Partial<ErrorShape> | undefined
  if (typeof shape?.code !== 'string' || typeof shape.message !== 'string')
    throw new DaybookError('protocol-error', `${url} answered with status ${response.status}.`)
  throw DaybookError.from({ retry: false, details: {}, ...shape } as ErrorShape)
}

function readPlace(values: Values): { url: string; authorization: string } {
  const edge = textOf(values, 'edge')
  const book = textOf(values, 'book')
  if (edge === undefined || book === undefined) throw new UsageError('--edge and --book say which book it is')
  try {
    const key = checkKey(process.env['DAYBOOK_KEY'], 'DAYBOOK_KEY')
    return {
      url: `${checkAddress(edge, '--edge')}/v1/books/${checkBookName(book)}`,
      authorization: `Bearer ${key}`,
    }
  } catch (error) {
    if (isDaybookError(error)) throw new UsageError(error.message)
    throw error
  }
}
