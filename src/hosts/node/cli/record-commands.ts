// `daybook recall`, `query`, `stats`, `store` and `forget`: read, store and forget records of an agent's
// memory.
import { type Want, wants } from '../../../core/capability/port/recall-port.ts'
import { defined } from '../../../core/defined.ts'
import { kindsByNames } from '../../../bundle/format/bundle-selection.ts'
import { kinds } from '../../../engine/capability-table.ts'
import { type Command, listOf, numberOf, textOf, UsageError, type Terminal } from './command.ts'
import { callSeedShape } from '../../../doors/seed-shape/seed-shape.ts'
import { unwrap } from '../../../doors/seed-shape/shape.ts'
import { isJsonObject } from '../../../core/json/path.ts'
import { embedderHelp, embedderOption } from './embedder-choice.ts'
import { readJsonSource, readTextSource } from './input-file.ts'

/** Kinds that `daybook store` stores. */
const storedKinds = ['trace', 'perception', 'fact', 'skill'] as const
type StoredKind = (typeof storedKinds)[number]

export const recallCommand: Command = {
  name: 'recall',
  summary: 'Finds records that answer a question, best first, or a whole answer.',
  operands: '<question>',
  options: {
    limit: { type: 'string' },
    want: { type: 'string' },
    types: { type: 'string' },
    session: { type: 'string' },
    resource: { type: 'string' },
    words: { type: 'boolean' },
    ...embedderOption,
  },
  help: {
    limit: '<n>       at most this many, default 10, of a whole answer 40',
    want: '<sort>     best, all, order or summary; default: by the words',
    types: '<list>    only these kinds, as in trace,fact',
    session: '<name>  only of this session',
    resource: '<name>  only about this resource',
    words: '  by words only, without vectors',
    ...embedderHelp,
  },
  async run({ values, positionals, terminal, signal, open }) {
    const text = positionals.join(' ')
    if (text === '') throw new UsageError('recall takes a question')
    const book = await open({ vectors: true })
    const result = await book.recall(
      {
        text,
        ...defined({
          limit: numberOf(values, 'limit', 1, 200),
          want: wantOption(textOf(values, 'want')),
          kinds: kindNames(listOf(values, 'types')),
          session: textOf(values, 'session'),
          resource: textOf(values, 'resource'),
        }),
      },
      { signal },
    )
    const lines = result.hits.map(({ record, score }) => `${score.toFixed(2)}  ${lineOf(record)}`)
    terminal.answer(result, lines.length > 0 ? lines.join('\n') : 'Nothing fits.')
    if (result.complete !== undefined) terminal.note(wholeNote(result.want, result.complete))
    noteSealed(terminal, result.sealed)
    noteDegraded(terminal, result.degraded)
  },
}

const wholeNames = { best: 'answer', all: 'list', order: 'order', summary: 'summary' }

/** `complete`: see `RecallResult`. */
const wholeNote = (want: Want, complete: number) =>
  complete === 1
    ? `This ${wholeNames[want]} has everything that recall found.`
    : `This ${wholeNames[want]} has about ${Math.floor(complete * 100)} % of what recall found. For more, give a higher --limit.`

function wantOption(text: string | undefined): Want | undefined {
  const want = wants.find((one) => one === text)
  if (text !== undefined && want === undefined) throw new UsageError(`--want takes ${wants.join(', ')}`)
  return want
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
    order: '<path>     sort by this path, or by up to three with commas between them; -<path> for descending',
    limit: '<n>       at most this many, default 100',
    cursor: '<cursor>  the cursor that the previous page printed',
  },
  async run({ values, positionals, terminal, signal, open }) {
    const orderBy = textOf(values, 'order')?.split(',')
    if (orderBy?.some((path) => !/^-?[^-\s]/.test(path)))
      throw new UsageError(
        '--order takes up to three paths with commas between them, as in -confidence,subject',
      )
    const book = await open()
    const page = await book.records.query(
      defined({
        kind: kindNames(listOf(values, 'type'))?.[0],
        filters: filtersOf(positionals),
        orderBy,
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
  summary: 'Counts records by kind, with their dates, and the size of the memory.',
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

/** Prints a note if sealed records were skipped. */
function noteSealed(terminal: Terminal, sealed = 0): void {
  if (sealed === 0) return
  const [records, their] = sealed === 1 ? ['1 sealed record', 'its'] : [`${sealed} sealed records`, 'their']
  terminal.note(`${records} could not be read: ${their} key is missing, or needs --unlock-file.`)
}

/** Prints a note for each part of recall that did not answer. */
function noteDegraded(terminal: Terminal, degraded: readonly string[]): void {
  for (const reason of degraded) {
    const [, missing] = /^vectors: (.*)$/s.exec(reason) ?? []
    terminal.note(missing === undefined ? reason : `Not found by meaning, only by words: ${missing}`)
  }
}

/**
 * The kinds for names in singular or plural. Throws for unknown names; the error names the option `types`.
 */
function kindNames(names: readonly string[] | undefined): string[] | undefined {
  return names && kindsByNames(kinds, names, 'types').map(({ name }) => name)
}

function filtersOf([text, ...more]: readonly string[]): Record<string, never> | undefined {
  if (text === undefined) return undefined
  if (more.length > 0) throw new UsageError('query takes its filters as one JSON object, in quotes')
  try {
    // The engine checks the filters.
    return JSON.parse(text) as Record<string, never>
  } catch {
    throw new UsageError(`The filters are not JSON: ${text}`)
  }
}

const lineLength = 160

/** A record as one line: time, kind, id, and the first `lineLength` characters of its content. */
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

export const storeRecord: Command = {
  name: 'store',
  summary: `Stores a record (${storedKinds.join(', ')}) and prints its receipt. Creates the memory if needed.`,
  operands: "<kind> '<JSON>' | @<file> | -",
  options: { 'request-id': { type: 'string' }, replace: { type: 'boolean' } },
  help: {
    'request-id': '<id>  a repeated call with the same id stores once',
    replace: '         change the skill of that name, or the trace or perception of that id, if it is there',
  },
  async run({ values, positionals, terminal, signal, open }) {
    const [kindName = '', source, ...more] = positionals
    const kind = nameOfKind(kindName)
    if (source === undefined || more.length > 0)
      throw new UsageError(`store takes a kind and one record: '<JSON>', @<file>, or - for stdin`)
    if (kind === 'fact' && values['replace'] === true)
      throw new UsageError(
        '--replace goes with a trace, a perception or a skill: a fact `supersedes` another',
      )
    const input = await readJsonSource(source, 'The record', signal)
    const fields = unwrap(input, kind)
    const replace = values['replace'] === true || (isJsonObject(fields) && fields['replace'] === true)
    const book = await open({ create: true })
    const requestId = textOf(values, 'request-id')
    // The answer in KSTAR's shape: it has the id as `trace_id`, `perception_id`, `fact_id` or `skill_id`.
    const receipt = await callSeedShape(`store_${kind}`, input, {
      now: () => Date.now(),
      // The shape replaces a skill of the same name; here that needs `--replace`.
      call: (id, callInput) =>
        book.call(id, kind === 'fact' ? callInput : { ...(callInput as object), replace }, {
          signal,
          ...defined({ requestId }),
        }),
    })
    terminal.answer(receipt, String((receipt as Record<string, unknown>)[`${kind}_id`]))
  },
}

/** The kind for a name in singular or plural. Throws `UsageError` for other names. */
function nameOfKind(text: string): StoredKind {
  const kind = storedKinds.find((name) => text === name || text === `${name}s`)
  if (kind) return kind
  throw new UsageError(`store takes a kind first: ${storedKinds.join(', ')}`)
}

export const rememberCommand: Command = {
  name: 'remember',
  summary:
    'Stores a text as the memory that fits it, and prints its kind and id. Creates the memory if needed.',
  operands: '<text> | -',
  options: {
    about: { type: 'string' },
    from: { type: 'string' },
    until: { type: 'string' },
    as: { type: 'string' },
  },
  help: {
    about: '<subject>  a person, project or thing',
    from: '<date>     true from the start of that day',
    until: '<date>     true until the end of that day',
    as: '<kind>     perception or memory; default: by the text',
  },
  async run({ values, positionals, terminal, signal, open }) {
    const words = positionals.join(' ')
    if (words === '') throw new UsageError('remember takes a text, or - for stdin')
    const text = words === '-' ? (await readTextSource(words, signal)).trimEnd() : words
    const as = rememberedKinds.find((kind) => kind === textOf(values, 'as'))
    if (values['as'] !== undefined && as === undefined)
      throw new UsageError(`--as takes ${rememberedKinds.join(' or ')}`)
    const book = await open({ create: true })
    const fields = defined({
      about: textOf(values, 'about'),
      from: textOf(values, 'from'),
      until: textOf(values, 'until'),
      as,
    })
    const made = await book.remember({ text, ...fields }, { signal })
    terminal.answer(made, `${made.kind} ${made.id}`)
    terminal.note(made.why)
  },
}

const rememberedKinds = ['perception', 'memory'] as const

export const forgetRecord: Command = {
  name: 'forget',
  summary: 'Forgets a record with its content and history, for good. Asks first.',
  operands: '<id>',
  options: { cascade: { type: 'boolean' } },
  help: { cascade: '        also remove it from records that cite it' },
  async run({ values, positionals, terminal, signal, open }) {
    const [id = '', ...more] = positionals
    if (id === '' || more.length > 0) throw new UsageError('forget takes the id of one record')
    const book = await open()
    const record = await book.records.get({ id }, { signal })
    if (record) await terminal.confirm(`This forgets the ${record.kind} ${id} for good.`, 'forget')
    const done = await book.records.forget({ id, cascade: values['cascade'] === true }, { signal })
    const also = done.alsoForgotten.length > 0 ? `, and ${done.alsoForgotten.length} with it` : ''
    terminal.answer(done, done.forgotten ? `Forgot ${id}${also}.` : '')
    if (!done.forgotten) throw new Error(`There is no ${id} here.`)
  },
}
