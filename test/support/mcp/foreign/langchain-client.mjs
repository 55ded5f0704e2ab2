// Uses a memory by LangChain's adapter: over stdio (a command in JSON) or over HTTP (an address and a key).
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'

const [folder, text] = process.argv.slice(2)
const require = createRequire(`${folder}/package.json`)
const { MultiServerMCPClient } = await import(pathToFileURL(require.resolve('@langchain/mcp-adapters')).href)
const place = JSON.parse(text)
const server = place.command
  ? { transport: 'stdio', command: place.command, args: place.args }
  : { transport: 'http', url: place.url, headers: { authorization: `Bearer ${place.key}` } }
const client = new MultiServerMCPClient({ mcpServers: { daybook: server } })
const tools = await client.getTools()
const textOf = (answer) => (typeof answer === 'string' ? answer : JSON.stringify(answer))
const call = async (name, input) => textOf(await tools.find((tool) => tool.name === name).invoke(input))
const stored = await call('remember', { text: 'Ann likes jasmine tea' })
const [, ref = ''] = /"ref\\?":\s*\\?"([^"\\]+)/.exec(stored) ?? []
const found = await call('recall', { text: 'tea' })
const [read] = (await client.readResource?.('daybook', `daybook://records/${ref}`)) ?? []
const error = await call('query_memory', { filters: { created_at: { near: 1 } } }).catch((reason) =>
  String(reason.message ?? reason),
)
const names = tools.map(({ name }) => name)
const isError = error.includes('invalid-filter')
process.stdout.write(
  `${JSON.stringify({ tools: names, ref, found, read: read?.text ?? '', isError, error })}\n`,
)
await client.close()
