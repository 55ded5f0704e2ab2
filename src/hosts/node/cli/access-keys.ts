// `daybook create-key`, `list-keys` and `revoke-key`: manage the access keys of a book at an edge.
import { defined } from '../../../core/defined.ts'
import type { CapabilityOutput } from '../../../book/daybook.ts'
import { usageErrorOf } from './cli-error.ts'
import { type Command, listOf, readKey, textOf, UsageError, type Values } from './command.ts'
import { checkAddress } from '../../../core/address.ts'
import { checkBookName } from '../../../core/book.ts'
import { DaybookError, type ErrorShape, isDaybookError } from '../../../core/errors.ts'

/** Longest wait for the answer of an edge. */
const deadlineMs = 30_000

const edgeOptions = { edge: { type: 'string' }, book: { type: 'string' } } as const
const edgeHelp = {
  edge: '<url>     the address of the edge; its key is read from DAYBOOK_KEY',
  book: '<name>    the book there',
}

export const createKey: Command = {
  name: 'create-key',
  summary: 'Makes a key to one book at an edge, and prints it this one time.',
  operands: '<name>',
  options: {
    ...edgeOptions,
    owner: { type: 'boolean' },
    permissions: { type: 'string' },
    scope: { type: 'string' },
    holder: { type: 'string' },
    push: { type: 'string' },
    pull: { type: 'string' },
    expires: { type: 'string' },
  },
  help: {
    ...edgeHelp,
    owner: '          everything, as the owner of the book',
    permissions: '<list>  what it may do, as in read,sync',
    scope: '<scope>   the records it reaches, default ** (the whole book)',
    holder: '<name>   the writer of its records, default the name of the key',
    push: '<list>     kinds it may send in a sync',
    pull: '<list>     kinds it may fetch in a sync',
    expires: '<time>  when it ends',
  },
  async run({ values, positionals, terminal, signal }) {
    const name = positionals.join(' ')
    if (name === '') throw new UsageError('create-key takes a name for the key')
    const input = defined({
      name,
      owner: values['owner'] === true ? true : undefined,
      permissions: listOf(values, 'permissions'),
      scope: textOf(values, 'scope'),
      holder: textOf(values, 'holder'),
      push: listOf(values, 'push'),
      pull: listOf(values, 'pull'),
      expires_at: textOf(values, 'expires'),
    })
    const created = (await callEdge(
      values,
      'daybook:create_access_key',
      input,
      signal,
    )) as CapabilityOutput<'daybook:create_access_key'>
    terminal.answer(created, created.key)
    terminal.note(`${created.id} was created. The key is shown only this time and stored nowhere.`)
  },
}

export const listKeys: Command = {
  name: 'list-keys',
  summary: 'Lists the keys to one book at an edge: what each may do, and whether it is still valid.',
  operands: '',
  options: { ...edgeOptions, cursor: { type: 'string' } },
  help: { ...edgeHelp, cursor: '<cursor>  the cursor that the previous page printed' },
  async run({ values, terminal, signal }) {
    const page = (await callEdge(
      values,
      'daybook:list_access_keys',
      defined({ cursor: textOf(values, 'cursor') }),
      signal,
    )) as CapabilityOutput<'daybook:list_access_keys'>
    const rows = page.keys.map(({ id, state, name, owner, permissions, scope }) =>
      [id, state, owner ? 'owner' : `${permissions.join(',')} in ${scope}`, name].join('  '),
    )
    terminal.answer(page, rows.join('\n'))
    if (page.cursor !== undefined) terminal.note(`More: --cursor ${page.cursor}`)
  },
}

export const revokeKey: Command = {
  name: 'revoke-key',
  summary: 'Ends a key to one book at an edge, for good.',
  operands: '<id>',
  options: edgeOptions,
  help: edgeHelp,
  async run({ values, positionals: [id = '', ...more], terminal, signal }) {
    if (id === '' || more.length > 0) throw new UsageError('revoke-key takes the id of one key')
    const ended = (await callEdge(
      values,
      'daybook:revoke_access_key',
      { id },
      signal,
    )) as CapabilityOutput<'daybook:revoke_access_key'>
    if (!ended.revoked) throw new Error(`There is no key ${id}`)
    terminal.answer(ended, `${id} ended at ${ended.revoked_at}.`)
  },
}

// Calls a capability at an edge. The key comes from the environment, because every process of the machine can
// read arguments.

/**
 * Calls the capability `id` of the book that `values` name, and returns its output. Rejects with `offline`,
 * `protocol-error` or the edge's error.
 */
async function callEdge(values: Values, id: string, input: object, signal: AbortSignal): Promise<unknown> {
  const { url, authorization } = readPlace(values)
  const response = await fetch(`${url}/capabilities/${id}`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify(input),
    // Don't follow redirects: the key must not be sent to another address.
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
  // Defaults, in case the answer lacks these fields.
  throw DaybookError.from({ retry: false, details: {}, ...shape } as ErrorShape)
}

/** The address of the book and its header; throws `UsageError` if an option or the key is missing or wrong. */
function readPlace(values: Values): { url: string; authorization: string } {
  const edge = textOf(values, 'edge')
  const book = textOf(values, 'book')
  if (edge === undefined || book === undefined) throw new UsageError('--edge and --book are required')
  try {
    const key = readKey()
    return {
      url: `${checkAddress(edge, '--edge')}/v1/books/${checkBookName(book)}`,
      authorization: `Bearer ${key}`,
    }
  } catch (error) {
    if (isDaybookError(error)) throw usageErrorOf(error)
    throw error
  }
}
