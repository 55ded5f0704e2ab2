// The lines of docs/connect.md that a host of agents is given, started as the host would: its command is this build of Daybook,
// its folders are new, and everything else is as it stands on the page.
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { expect, it } from 'vitest'
import { root } from '../../../../scripts/place.mjs'
import { toolSetNames, toolsOf, usualSets } from '../../../../src/doors/mcp/tool-set.ts'
import { callTool, newClient } from '../../../contract/mcp/mcp.ts'
import { cli, ended, startDaybook } from '../../hosts/node/command-line.ts'

const page = readFileSync(join(root, 'docs/connect.md'), 'utf8')

interface Lines {
  readonly command: string
  readonly args: readonly string[]
}

function linesOf(words: string): Lines {
  const [, text = ''] = new RegExp(`^\`\`\`json ${words}\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(page) ?? []
  const [servers] = Object.values(JSON.parse(text) as Record<string, Record<string, Lines>>)
  return servers?.['daybook'] ?? { command: '', args: [] }
}

it.each(['claude', 'editor'])('the lines for %s start a memory that keeps what it is told', async (host) => {
  const folder = await mkdtemp(join(tmpdir(), 'daybook-connect-'))
  try {
    const { command, args } = linesOf(host)
    expect([command, ...args.slice(0, 3)]).toEqual(['npx', '-y', 'daybook', 'mcp'])
    const own = args.slice(2).map((arg) => arg.replace('${workspaceFolder}', folder))
    const client = newClient('legacy')
    await client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: [cli, ...own, '--home', folder],
        stderr: 'pipe',
      }),
    )
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(toolsOf(usualSets, 'device').map(({ name }) => name))
    await callTool(client, 'remember', { text: 'Ann likes tea' })
    expect((await callTool(client, 'recall', { text: 'tea' })).value['hits']).toHaveLength(1)
    await client.close()
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})

it('the page names every set, and each tool of the default one', () => {
  for (const name of toolSetNames) expect(page).toContain(`| \`${name}\``)
  for (const { name } of toolsOf(['recall'], 'device')) expect(page).toContain(`\`${name}\``)
})

it('the command line says which sets there are', async () => {
  const { stdout } = await ended(startDaybook(['mcp', '--help']))
  for (const name of toolSetNames) expect(stdout).toContain(name)
})
