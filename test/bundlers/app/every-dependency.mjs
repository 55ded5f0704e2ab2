// Uses every dependency that npm installs with the package: prints one line of JSON with what each part answered.
import { execFileSync, spawn } from 'node:child_process'
import { openDaybook, serveMirrors } from 'daybook/node'

const book = await openDaybook({ name: 'range', path: 'range.daybook', agent: 'visitor' })
const { id } = await book.perceptions.store({ content: 'Takes insulin', sensitivity: 'sensitive' })
const { id: home } = await book.facts.store({ schema: 'home', data: { city: 'Lisbon' } })
await book.facts.supersede({ id: home, data: { city: 'Porto' } })
const { records: homes } = await book.facts.get({ schema: 'home' })
const { token } = await book.tokens.grant({
  scope: '**',
  permissions: ['read'],
  granted_to: 'reader',
  expires_at: '2099-01-01T00:00:00Z',
})
const { hits } = await book.with({ as: token.token_id }).recall({ text: 'insulin' })
const bundle = await new Response(await book.export({ sign: true, passphrase: 'only for the way' })).text()
const copy = await openDaybook({ name: 'copy', path: ':memory:' })
await copy.import(bundle, { passphrase: 'only for the way' })
const imported = await copy.perceptions.query()
await copy.close()
await book.close()

const help = execFileSync(process.execPath, ['node_modules/daybook/dist/cli.js', '--help'], {
  encoding: 'utf8',
})
const tools = await new Promise((resolve, reject) => {
  const server = spawn(
    process.execPath,
    ['node_modules/daybook/dist/cli.js', 'mcp', '--home', '.', '--agent', 'me'],
    {
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  )
  let text = ''
  server.stdout.setEncoding('utf8').on('data', (part) => {
    text += part
    for (const line of text.split('\n').slice(0, -1)) {
      const message = JSON.parse(line)
      if (message.id !== 2) continue
      resolve(message.result.tools.length)
      server.stdin.end()
    }
  })
  server.on('error', reject)
  const say = (message) => server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  say({
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'range', version: '1' } },
  })
  say({ method: 'notifications/initialized' })
  say({ id: 2, method: 'tools/list' })
})
console.log(
  JSON.stringify({
    id: typeof id,
    hits: hits.length,
    homes: homes.map(({ data }) => data.city),
    imported: imported.records.length,
    help: help.includes('daybook'),
    tools,
    serve: typeof serveMirrors,
    node: process.versions.node,
  }),
)
