// `daybook send`: sends a P3394 message to the memory of an agent on this machine, or to any agent over a
// socket or URL.
// Invariant: keys and tokens come from the environment, because every process of the machine can read
// arguments.
import { checkAddress } from '../../../core/address.ts'
import { defined } from '../../../core/defined.ts'
import { DaybookError } from '../../../core/errors.ts'
import { findSeedShape } from '../../../doors/seed-shape/seed-shape.ts'
import { DaybookClient, memoryAgent } from '../../../doors/p3394/client.ts'
import { createDirectTransport } from '../../../doors/p3394/direct-transport.ts'
import {
  createHttpTransport,
  type AgentTransport,
  type TransportType,
  transportTypes,
} from '../../../doors/p3394/transport.ts'
import { createSocketTransport } from '../agent/socket-transport.ts'
import { createStdioTransport } from '../agent/stdio-transport.ts'
import { readSocketNote } from '../socket/socket-place.ts'
import { checkNeeded, type Command, type CommandContext, numberOf, textOf, UsageError } from './command.ts'
import { readJsonSource } from './input-file.ts'

export const sendMessage: Command = {
  name: 'send',
  summary: 'Sends a message to an agent and prints the answer. The memory of this machine is `kstar-memory`.',
  operands: '<agent> <capability>',
  options: {
    content: { type: 'string' },
    'request-id': { type: 'string' },
    timeout: { type: 'string' },
    transport: { type: 'string' },
    url: { type: 'string' },
    at: { type: 'string' },
    socket: { type: 'string' },
  },
  help: {
    content: "'<JSON>' | @<file> | -   input of the capability, default {}",
    'request-id': '<id>  a repeated message with the same id runs once',
    timeout: '<s>    seconds to wait, default 30',
    transport: `<name>  only this one of ${transportTypes.join(', ')}`,
    url: '<url>      an edge or `daybook serve`; its key is read from $DAYBOOK_KEY',
    at: '<name>      the book there',
    socket: '<path>   the socket of the agent; a token is read from $DAYBOOK_TOKEN',
  },
  async run(context) {
    const { values, positionals, terminal, signal } = context
    const [agent = '', capability = '', ...more] = positionals
    if (agent === '' || capability === '' || more.length > 0)
      throw new UsageError('send takes an agent and a capability, as in kstar-memory kstar:store_trace')
    checkNeeded(values, 'at', 'url')
    if (values['book'] !== undefined && (values['url'] ?? values['socket']) !== undefined)
      throw new UsageError('--book is a file of this machine; --at names the book at --url')
    const transport = transportOf(textOf(values, 'transport'))
    const content = await readJsonSource(textOf(values, 'content') ?? '{}', '--content', signal)
    const timeoutMs = 1000 * (numberOf(values, 'timeout', 1, 86_400) ?? 30)
    const requestId = textOf(values, 'request-id')
    const isRemote = agent !== memoryAgent
    if (isRemote && textOf(values, 'url') === undefined && textOf(values, 'socket') === undefined)
      throw new UsageError(`Say how to reach ${agent}: add --socket or --url`)
    const transports = await transportsFor(context, transport, capability)
    const client = new DaybookClient({ source: 'daybook-cli' })
    try {
      client.register(agent, { transports })
      const deadline = AbortSignal.timeout(timeoutMs)
      const sending = client.deliver({
        destination: agent,
        capability,
        content,
        signal: AbortSignal.any([signal, deadline]),
        ...defined({ transport, requestId }),
      })
      // `way`: the transport that delivered the message, and those that failed.
      const { data, ...way } = await sending.catch((error: unknown) => {
        throw deadline.aborted
          ? new DaybookError('deadline-exceeded', undefined, { details: { deadlineMs: timeoutMs } })
          : error
      })
      terminal.answer({ answer: data, ...way }, JSON.stringify(data, undefined, 2))
    } finally {
      await client[Symbol.asyncDispose]()
    }
  },
}

function transportOf(name: string | undefined): TransportType | undefined {
  const found = transportTypes.find((type) => type === name)
  if (name === undefined || found) return found
  throw new UsageError(`--transport takes one of ${transportTypes.join(', ')}`)
}

/**
 * The transports of `--socket` and `--url`. Without these options: transports to the memory of this machine,
 * opened here or through its owner process.
 */
async function transportsFor(
  { values, bookFile, open }: CommandContext,
  wanted: TransportType | undefined,
  capability: string,
): Promise<AgentTransport[]> {
  const { DAYBOOK_TOKEN: token } = process.env
  const key = process.env['DAYBOOK_KEY'] || undefined
  const address = textOf(values, 'url')
  const url = address === undefined || key === undefined ? address : checkAddress(address, '--url')
  const socket = textOf(values, 'socket')
  const named = [
    ...(socket === undefined ? [] : [createSocketTransport({ path: socket, token })]),
    ...(url === undefined ? [] : [createHttpTransport({ url, key, book: textOf(values, 'at') })]),
  ]
  if (named.length > 0) return named
  if (wanted === 'unix_socket')
    return [createSocketTransport({ path: () => readSocketNote(bookFile), token })]
  if (wanted === 'http') throw new UsageError('--transport http needs --url')
  if (wanted === 'mcp_stdio') {
    const script = process.argv[1] ?? ''
    const args = ['--no-warnings', script, 'mcp', '--book', bookFile, '--tools', 'kstar']
    return [createStdioTransport({ command: process.execPath, args })]
  }
  // Only a capability that stores a record creates a missing memory.
  const create = findSeedShape(capability)?.names[0]?.includes('store_') === true
  return [createDirectTransport(await open({ create }))]
}
