// `daybook recall`, `query` and `stats`: reading the memory of an agent.
import { kindsCalled } from '../../../bundle/format/bundle-choice.ts'
import { kinds } from '../../../engine/capability-table.ts'
import { type Command, given, listOf, numberOf, textOf } from './command.ts'
import type { Terminal } from './terminal.ts'
import { UsageError } from './usage-error.ts'

export const recallCommand: Command = {
  name: 'recall',
  summary: 'Finds what answers a question, best first.',
  operands: '<question>',
  options: {
    limit: { type: 'string' },
    types: { type: 'string' },
    session: { type: 'string' },
    resource: { type: 'string' },
  },
  help: {
    limit: '<n>       at most this many, default 10',
    types: '<list>    only these kinds, as in trace,fact',
    session: '<name>  only of this session',
    resource: '<name>  only about this resource',
  },
  async run({ values, positionals, terminal, signal, open }) {
    const text = positionals.join(' ')
    if (text === '') throw new UsageError('recall takes a question')
    const book = await open()
    const result = await book.recall(
      {
        text,
        ...given({
          limit: numberOf(values, 'limit', 1, 200),
          kinds: kindNames(listOf(values, 'types')),
          session: textOf(values, 'session'),
          resource: textOf(values, 'resource'),
        }),
      },
      { signal },
    )
    const lines = result.hits.map(({ record, score }) => `${score.toFixed(2)}  ${lineOf(record)}`)
    terminal.answer(result, lines.length > 0 ? lines.join('\n') : 'Nothing fits.')
    noteSealed(terminal, result.sealed)
  },
}

export const queryCommand: Command = {
  name: 'query',
  summary: 'Lists records by filters, newest first.',
  operands: '[<filters as JSON>]',
  options: {
    type: { type: 'string' },
    order: { type: 'string' },
    limit: { type: 'string' },
    cursor: { type: 'string' },
  },
  help: {
    type: '<kind>     of this kind only, as in trace',
    order: '<path>     by this path; -<path> for descending',
    limit: '<n>       at most this many, default 100',
    cursor: '<cursor>  the next page: what the page before gave',
  },
  async run({ values, positionals, terminal, signal, open }) {
    const book = await open()
    const page = await book.records.query(
      given({
        kind: kindNames(listOf(values, 'type'))?.[0],
        filters: filtersOf(positionals),
        order_by: textOf(values, 'order'),
        limit: numberOf(values, 'limit', 1, 1000),
        cursor: textOf(values, 'cursor'),
      }),
      { signal },
    )
    terminal.answer(page, page.records.map(lineOf).join('\n'))
    noteSealed(terminal, page.sealed)
    if (page.cursor !== undefined) terminal.note(`More: --cursor ${page.cursor}`)
  },
}

export const statsCommand: Command = {
  name: 'stats',
  summary: 'Says how much there is, from when to when, and how large it is.',
  operands: '',
  options: {},
  help: {},
  async run({ terminal, signal, open }) {
    const book = await open()
    const stats = await book.stats({}, { signal })
    const kinds = Object.entries(stats.kinds).map(
      ([kind, { count, earliest, latest }]) =>
        `${kind}  ${count.toLocaleString('en')}  ${earliest.slice(0, 10)} to ${latest.slice(0, 10)}`,
    )
    terminal.answer(stats, [...kinds, `${stats.bytes.toLocaleString('en')} bytes`].join('\n'))
    noteSealed(terminal, stats.sealed)
  },
}

/** What is there and says nothing here is no absence. */
function noteSealed(terminal: Terminal, sealed = 0): void {
  if (sealed === 0) return
  const [records, their] = sealed === 1 ? ['1 sealed record', 'its'] : [`${sealed} sealed records`, 'their']
  terminal.note(`${records} could not be read: ${their} key is not here, or waits for --unlock-file.`)
}

/** Kinds as they are called, of one record or of several: people say traces. */
function kindNames(names: readonly string[] | undefined): string[] | undefined {
  return names && kindsCalled(kinds, names, 'types').map(({ name }) => name)
}

function filtersOf([text, ...more]: readonly string[]): Record<string, never> | undefined {
  if (text === undefined) return undefined
  if (more.length > 0) throw new UsageError('query takes its filters as one JSON object, in quotes')
  try {
    return JSON.parse(text) as Record<string, never>
  } catch {
    throw new UsageError(`The filters are not JSON: ${text}`)
  }
}

const lineLength = 160

/** A record as one line: when, what, which, and as much of its content as fits. */
function lineOf(
  record: Readonly<Record<string, unknown>> & { readonly id: string; readonly kind: string },
): string {
  const {
    id,
    kind,
    created_at,
    updated_at: _changed,
    ver: _ver,
    agent: _agent,
    timestamp,
    ...content
  } = record
  const at = String(timestamp ?? created_at).slice(0, 16)
  const text = [...JSON.stringify(content)]
  return `${at}  ${kind} ${id}  ${text.slice(0, lineLength).join('')}${text.length > lineLength ? '…' : ''}`
}
