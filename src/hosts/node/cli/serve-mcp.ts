// `daybook mcp`: the memory as a server of the Model Context Protocol, over standard input and output.
// Invariant: nothing but messages of the protocol goes to stdout; it ends when its client does.
import { product } from '../../../bundle/format/product.ts'
import { permits } from '../../../core/access/permission.ts'
import type { Daybook } from '../../../book/daybook.ts'
import type { Progress } from '../../../core/capability/progress.ts'
import { DaybookError } from '../../../core/errors.ts'
import { loadMcp, type McpBook, type McpRights } from '../../../doors/mcp/mcp-book.ts'
import { createMcpServer } from '../../../doors/mcp/mcp-server.ts'
import { readSets, toolSetNames, toolsOf } from '../../../doors/mcp/tool-set.ts'
import { callTool } from './agent/call-tool.ts'
import { type Command, textOf } from './command.ts'
import { UsageError } from './usage-error.ts'

/** Most that a timer of Node waits for. */
const longestTimerMs = 2_147_483_647

export const serveMcp: Command = {
  name: 'mcp',
  summary: 'Serves the memory to a host of agents, over stdin and stdout (Model Context Protocol).',
  operands: '[call <tool>]',
  options: {
    book: { type: 'string' },
    tools: { type: 'string' },
    token: { type: 'string' },
    arg: { type: 'string', multiple: true },
    args: { type: 'string' },
  },
  help: {
    book: '<file>    the file of the memory, in place of the one that --home and --agent name',
    tools: `<sets>   of ${toolSetNames.join(', ')}; with commas between them, default recall`,
    token: '<id>     as the holder of this control token: no more than it permits',
    arg: '<name>=<JSON>  with `call`: an argument of the tool; as often as needed',
    args: "'<JSON>' | @<file> | -   with `call`: all arguments as one object",
  },
  async run(context) {
    const { values, positionals, signal, open, terminal } = context
    if (positionals[0] === 'call') return callTool(context)
    if (positionals.length > 0) throw new UsageError(`mcp takes no \`${positionals[0]}\``)
    const sets = readSets(textOf(values, 'tools'))
    toolsOf(sets, 'device')
    const file = textOf(values, 'book')
    const book = await open({ create: true, ...(file === undefined ? {} : { file }) })
    const token = textOf(values, 'token')
    const mcpBook = token === undefined ? ownersBook(book) : await holdersBook(book, token)
    const onFault = ({ code, message }: DaybookError) => terminal.note(`${code}: ${message}`)
    const mcp = await loadMcp()
    const { serveStdio, StdioServerTransport } = await import('@modelcontextprotocol/server/stdio')
    const version = product.version
    const handle = serveStdio(
      ({ era }) => createMcpServer({ mcp, era, book: { ...mcpBook, onFault }, sets, version }),
      {
        transport: new StdioServerTransport(process.stdin, process.stdout),
        onerror: (error) => terminal.note(inOneLine(error)),
      },
    )
    await new Promise<void>((resolve) => {
      process.stdin.once('close', resolve)
      process.stdin.once('end', resolve)
      if (signal.aborted) resolve()
      signal.addEventListener('abort', () => resolve(), { once: true })
    })
    await handle.close()
  },
}

/** A fault of the wire in one line: what a schema says of a message has a hundred. */
const inOneLine = (error: Error) =>
  'issues' in error
    ? 'The client sent what is no message of JSON-RPC; it was passed over.'
    : error.message.replaceAll(/\s+/g, ' ').slice(0, 500)

/** The book as its owner has it: whoever starts this on their own machine says so. */
function ownersBook(book: Daybook): McpBook {
  const told = createProgress(book)
  return {
    place: 'device',
    now: () => Date.now(),
    call(id, input, { progress, ...options } = {}) {
      const end = progress && told(id, progress)
      return book.call(id, input, options).finally(() => end?.())
    },
    onChange: (listener) => book.on('change', ({ kinds }) => listener(kinds)),
  }
}

/** The book as the holder of a token has it. Rejects with `forbidden` for a token that does not hold now. */
async function holdersBook(book: Daybook, token: string): Promise<McpBook> {
  return { ...ownersBook(book.with({ as: token })), rights: await rightsOf(book, token) }
}

async function rightsOf(book: Daybook, id: string): Promise<McpRights> {
  const find = async () => {
    const [found] = (await book.call('kstar:get_token_lineage', { token_id: id })).tokens
    return found?.state === 'active' ? found : undefined
  }
  let token = await find()
  if (!token)
    throw new DaybookError('forbidden', 'The token does not hold here.', { details: { path: 'token' } })
  return {
    mayCall: (verb) => token !== undefined && permits(token.permissions, verb),
    onChange(listener) {
      let timer: NodeJS.Timeout | undefined
      // Whatever can't be asked permits nothing.
      const look = async () => {
        token = await find().catch(() => undefined)
        listener()
        watchEnd()
      }
      /** Time ends a token without a change of the book. */
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

/** Tells how far a call has come. The book says of which verb its progress is, so two calls of one verb are told nothing. */
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
