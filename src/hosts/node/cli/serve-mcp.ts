// `daybook mcp`: serves the memory over the Model Context Protocol on stdin and stdout.
// Invariant: only protocol messages are written to stdout; the process ends when its client closes stdin, after its
// last answers.
import { product } from '../../../bundle/format/product.ts'
import { permits } from '../../../core/access/permission.ts'
import type { Daybook } from '../../../book/daybook.ts'
import type { Progress } from '../../../core/capability/task.ts'
import { DaybookError, toDaybookError } from '../../../core/errors.ts'
import { McpPersona } from '../../../doors/mcp/mcp-persona.ts'
import { idPrefixes } from '../../../core/text/name-id.ts'
import { createLocalTools } from '../../../doors/mcp/local-tools.ts'
import { loadMcp, type McpBook, type McpRights } from '../../../doors/mcp/mcp-book.ts'
import { createMcpServer, instructionsFor } from '../../../doors/mcp/mcp-server.ts'
import { parseSetNames, toolSetNames, toolsOf, type ToolSetName } from '../../../doors/mcp/tool-set.ts'
import { type Command, textOf, type CommandContext, UsageError } from './command.ts'
import { isJsonObject } from '../../../core/json/path.ts'
import { longestTimerMs } from '../../../core/time.ts'
import { readJsonSource } from './input-file.ts'
import { embedderHelp, embedderOption } from './embedder-choice.ts'
import { hostAgentName, ownerName } from '../../../doors/mcp/agent-name.ts'
import { leaseAgent } from '../socket/agent-lease.ts'
import { serveMcpStdio } from './mcp-stdio.ts'

export const serveMcp: Command = {
  name: 'mcp',
  summary: 'Serves the memory to a host of agents, over stdin and stdout (Model Context Protocol).',
  operands: '[call <tool>]',
  options: {
    tools: { type: 'string' },
    token: { type: 'string' },
    arg: { type: 'string', multiple: true },
    args: { type: 'string' },
    words: { type: 'boolean' },
    ...embedderOption,
  },
  help: {
    tools: `<sets>   of ${toolSetNames.join(', ')}; separated by commas, default recall`,
    token: '<id>     with the rights of this control token',
    arg: '<name>=<JSON>  with `call`: an argument of the tool; may be repeated',
    args: "'<JSON>' | @<file> | -   with `call`: all arguments as one object",
    words: '  recall by words only, without vectors',
    ...embedderHelp,
  },
  async run(context) {
    const { values, positionals, signal, terminal } = context
    if (positionals[0] === 'call') return callTool(context)
    if (positionals.length > 0) throw new UsageError(`mcp takes no \`${positionals[0]}\``)
    for (const option of ['arg', 'args'])
      if (values[option] !== undefined) throw new UsageError(`--${option} goes with mcp call`)
    const sets = parseSetNames(textOf(values, 'tools'))
    // Throws if two sets have a tool of the same name, before the book is opened.
    toolsOf(sets, 'device')
    const onFault = ({ code, message }: DaybookError) => terminal.note(`${code}: ${message}`)
    const mcp = await loadMcp()
    const { version } = product
    let opened: Promise<Connection> | undefined
    const connect = (client?: string) => (opened ??= openConnection(context, { client }))
    try {
      await serveMcpStdio({
        async create({ era, client, revision }) {
          const { book } = await connect(client)
          const instructions = await instructionsFor(book)
          return createMcpServer({
            mcp,
            era,
            revision,
            book: { ...book, onFault },
            sets,
            version,
            instructions,
          })
        },
        onError: (error) => terminal.note(inOneLine(error)),
        signal,
      })
      // Without any message: a wrong option is still an error.
      if (!signal.aborted) await connect()
    } finally {
      const connection = await opened?.catch(() => undefined)
      await connection?.end().catch((error: unknown) => onFault(toDaybookError(error)))
    }
  },
}

/** A host's connection: the book with its rights, its persona and, without a token, an agent name of its own. */
interface Connection {
  readonly book: McpBook
  /** Ends the session of the persona, and frees the name. */
  end(): Promise<void>
  /** Frees the name; the session of the persona stays. */
  leave(): void
}

interface ConnectionChoice {
  /** The name that the host gives itself. */
  readonly client: string | undefined
  readonly vectors?: boolean
  /** See `McpPersona`. */
  readonly isResumed?: boolean
}

/**
 * Opens the book for the host `client`. Its agent is the holder of `--token`, else `--agent`, else the name of the
 * client; a second live connection of that name gets a number, as in `editor-2`.
 */
async function openConnection(
  { values, open, bookFile }: CommandContext,
  { client, vectors = true, isResumed = false }: ConnectionChoice,
): Promise<Connection> {
  const token = textOf(values, 'token')
  const options = { create: true, vectors }
  if (token !== undefined) {
    const persona = new McpPersona(await tokenBook(await open(options), token), { isResumed })
    return { book: persona.book, end: () => persona.end(), leave: () => undefined }
  }
  const lease = leaseAgent(bookFile, hostAgentName(textOf(values, 'agent'), client))
  const book = await open({ ...options, as: lease.name })
  endLeftSessions(book)
  const decide = async (decision: { id: string; action: 'approve' | 'reject' }) => {
    // No `await using`: an old Node can't read it, and says then nothing of its age.
    const owner = await open({ as: ownerName })
    try {
      return await owner.proposals.review(decision)
    } finally {
      await owner.close()
    }
  }
  const persona = new McpPersona({ ...ownerBook(book), decide }, { isResumed })
  return { book: persona.book, end: () => persona.end().finally(lease.end), leave: lease.end }
}

/**
 * Ends the session of a persona that left the meeting room without its end, because its process was killed. Later
 * rounds of upkeep do the same.
 */
function endLeftSessions(book: Daybook): void {
  book.on('room', (event) => {
    if (event.type === 'left' && event.id.startsWith(idPrefixes.persona))
      void book.sessions.upkeep().catch(() => undefined)
  })
}

/** One line for a protocol error: the message of a schema error has many lines. */
const inOneLine = (error: Error) =>
  'issues' in error
    ? 'The client sent a message that is not JSON-RPC; it was ignored.'
    : error.message.replaceAll(/\s+/g, ' ').slice(0, 500)

/** The book with its owner's rights: the user who starts this process can read the book's file. */
function ownerBook(book: Daybook): McpBook {
  const reportTo = createProgress(book)
  return {
    place: 'device',
    now: () => Date.now(),
    call(id, input, { onProgress, ...options } = {}) {
      const end = onProgress && reportTo(id, onProgress)
      return book.call(id, input, options).finally(() => end?.())
    },
    onChange: (listener) => book.on('change', ({ kinds }) => listener(kinds)),
  }
}

/** The book with the rights of `token`. Rejects with `forbidden` unless the token is active. */
async function tokenBook(book: Daybook, token: string): Promise<McpBook> {
  return { ...ownerBook(book.with({ as: token })), rights: await rightsOf(book, token) }
}

/** The rights of the token `id`, which follow its changes and its end. */
async function rightsOf(book: Daybook, id: string): Promise<McpRights> {
  const find = async () => {
    // The first is the token itself; its ancestors follow.
    const [found] = (await book.call('kstar:get_token_lineage', { token_id: id })).tokens
    return found?.state === 'active' ? found : undefined
  }
  let token = await find()
  if (!token)
    throw new DaybookError('forbidden', 'The token is not valid here.', { details: { path: 'token' } })
  return {
    mayCall: (verb) => token !== undefined && permits(token.permissions, verb),
    onChange(listener) {
      let timer: NodeJS.Timeout | undefined
      // A token that can't be read permits nothing.
      const look = async () => {
        token = await find().catch(() => undefined)
        listener()
        watchEnd()
      }
      /** Looks again when the token expires, because expiry is no change of the book. */
      const watchEnd = () => {
        clearTimeout(timer)
        if (!token) return
        const leftMs = Date.parse(token.expires_at) - Date.now() + 1
        timer = setTimeout(() => void look(), Math.min(Math.max(leftMs, 1), longestTimerMs)).unref()
      }
      watchEnd()
      const stop = book.on('change', ({ kinds }) => void (kinds.includes('token') && look()))
      return () => {
        clearTimeout(timer)
        stop()
      }
    },
  }
}

/**
 * Passes progress events to the running calls. An event names only the verb, so simultaneous calls of one
 * verb get no progress.
 */
function createProgress(book: Daybook) {
  const waiting = new Map<string, Set<(step: Progress) => void>>()
  book.on('progress', ({ capability, ...step }) => {
    const listeners = waiting.get(capability)
    if (listeners?.size === 1) for (const listener of listeners) listener(step)
  })
  return (id: string, listener: (step: Progress) => void) => {
    const listeners = waiting.get(id) ?? new Set()
    waiting.set(id, listeners.add(listener))
    return () => listeners.delete(listener)
  }
}

/** A session that lasts from one call to the next is not in the room, which each process leaves at its end. */
const asStay = (id: string, input: unknown) =>
  id === 'katra:session_start' && isJsonObject(input) ? { ...input, room: false } : input

/** The error of a tool that failed, with the tool's text. */
class ToolFailure extends Error {}

/** Each call is a process of its own; all are one agent, with one persona. */
const callingClient = 'mcp-call'

async function callTool(context: CommandContext): Promise<void> {
  const { values, positionals, terminal, signal } = context
  const [, tool = '', ...more] = positionals
  if (tool === '' || more.length > 0)
    throw new UsageError('mcp call takes the name of a tool, as in `mcp call recall`')
  const set = setOf(tool, textOf(values, 'tools'))
  const input = await readInput(values, signal)
  const isQuestion = /recall|context|embed/.test(tool)
  const choice = { client: callingClient, vectors: isQuestion, isResumed: true }
  const { book, leave } = await openConnection(context, choice)
  try {
    const { run } = createLocalTools()
    const { texts, value, isFailure } = await run([set], tool, input, (id, verbInput) =>
      book.call(id, asStay(id, verbInput), { signal }),
    )
    const text = texts.join('\n')
    if (isFailure) throw new ToolFailure(text)
    terminal.answer(value, text)
  } finally {
    leave()
  }
}

/**
 * The first tool set that has the tool: of `named`, or of all sets. Throws `UsageError` for an unknown tool.
 */
function setOf(tool: string, named: string | undefined): ToolSetName {
  const sets = named === undefined ? toolSetNames : parseSetNames(named)
  const found = sets.find((set) => toolsOf([set], 'device').some(({ name }) => name === tool))
  if (found) return found
  const names = sets.flatMap((set) => toolsOf([set], 'device').map(({ name }) => name))
  throw new UsageError(
    `There is no tool \`${tool.slice(0, 80)}\`. The tools are ${[...new Set(names)].join(', ')}`,
  )
}

async function readInput(values: CommandContext['values'], signal: AbortSignal): Promise<object> {
  const whole = textOf(values, 'args')
  const object = whole === undefined ? {} : await readJsonSource(whole, '--args', signal)
  if (!isJsonObject(object)) throw new UsageError('--args takes a JSON object')
  const { arg = [] } = values
  const single = (Array.isArray(arg) ? arg : [arg]).map((one) => readArgument(String(one)))
  return { ...object, ...Object.fromEntries(single) }
}

/** Reads `name=value`: the value as JSON, or as text if it isn't JSON. */
function readArgument(text: string): [string, unknown] {
  const at = text.indexOf('=')
  if (at < 1) throw new UsageError(`--arg takes <name>=<JSON or text>, not \`${text.slice(0, 80)}\``)
  const value = text.slice(at + 1)
  try {
    return [text.slice(0, at), JSON.parse(value)]
  } catch {
    return [text.slice(0, at), value]
  }
}
