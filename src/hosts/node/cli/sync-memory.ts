// `daybook sync`: syncs the memory of an agent with its mirror. `daybook dead-letters`: lists the changes
// that the mirror refused for good.
import { defined } from '../../../core/defined.ts'
import { checkAddress } from '../../../core/address.ts'
import { isDaybookError } from '../../../core/errors.ts'
import { type SyncDirection, syncDirections } from '../../../core/capability/status.ts'
import type { RefusedOp } from '../../../core/op.ts'
import type { Daybook } from '../../../book/daybook.ts'
import { usageErrorOf } from './cli-error.ts'
import { type Command, type Edge, readKey, textOf, type Values, UsageError } from './command.ts'

/** Dead letters in a page. */
const pageLimit = 1000

export const syncMemory: Command = {
  name: 'sync',
  summary: 'Sends new changes to the mirror at an edge, and fetches those of the mirror.',
  operands: '',
  options: { edge: { type: 'string' }, at: { type: 'string' }, direction: { type: 'string' } },
  help: {
    edge: '<url>     the address of the edge; its key is read from DAYBOOK_KEY',
    at: '<name>      the book there, if its name differs from the agent: give it each time',
    direction: '<d>  push only sends, pull only fetches; default both',
  },
  async run({ values, terminal, signal, open }) {
    const direction = textOf(values, 'direction') as SyncDirection | undefined
    if (direction !== undefined && !syncDirections.includes(direction))
      throw new UsageError(`--direction takes one of ${syncDirections.join(', ')}`)
    const book = await open({ create: true, edge: readEdge(values) })
    const result = await book.sync(defined({ direction }), { signal })
    const { sync } = await book.status()
    const text = `Sent ${result.pushed}, fetched ${result.pulled}, ${result.conflicts} in conflict.`
    terminal.answer({ ...result, pending: sync.pending, refused: sync.refused }, text)
    if (sync.refused > 0) terminal.note(`${sync.refused} refused for good: see \`daybook dead-letters\`.`)
  },
}

export const deadLetters: Command = {
  name: 'dead-letters',
  summary: 'Lists the changes that a mirror refused for good, with the reason.',
  operands: '[<id of a record> …]',
  options: { retry: { type: 'boolean' } },
  help: { retry: '          send them again with the next sync: of these records, or all' },
  async run({ values, positionals, terminal, open }) {
    const book = await open()
    if (values['retry'] === true) {
      const records = positionals.length > 0 ? { records: [...positionals] } : {}
      const retried = await book.deadLetters.retry(records)
      return terminal.answer(retried, retried.retried.join('\n') || 'There are no dead letters.')
    }
    if (positionals.length > 0) throw new UsageError('dead-letters takes records with --retry only')
    const letters = await readAll(book)
    const rows = letters.map(({ record, kind, code, message }) => `${record}  ${kind}  ${code}: ${message}`)
    terminal.answer({ deadLetters: letters }, rows.join('\n') || 'There are no dead letters.')
  },
}

async function readAll({ deadLetters: { list } }: Daybook) {
  const letters: RefusedOp[] = []
  for (;;) {
    // `n`: number of the change in the outbox, ascending.
    const page = (await list(defined({ after: letters.at(-1)?.n, limit: pageLimit }))).deadLetters
    letters.push(...page)
    if (page.length < pageLimit) return letters
  }
}

/** The mirror in `values`, with the key of the environment. Throws `UsageError` without a URL or key. */
export function readEdge(values: Values): Edge {
  const url = textOf(values, 'edge')
  if (url === undefined) throw new UsageError('--edge is required: the address of the mirror')
  try {
    return {
      url: checkAddress(url, '--edge'),
      key: readKey(),
      book: textOf(values, 'at'),
    }
  } catch (error) {
    if (isDaybookError(error)) throw usageErrorOf(error)
    throw error
  }
}
