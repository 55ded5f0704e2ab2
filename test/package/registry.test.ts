// The files by which others find the package: `server.json` for the registry of MCP servers, the plugin for coding agents.
// The rules are those of the registry's schema of 2025-12-11, and of its checks of npm packages, as far as they concern us.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { type App, createApp } from './app.ts'

const exactVersion = z.string().regex(/^\d+\.\d+\.\d+(?:-[\w.]+)?$/)
const input = { description: z.string().min(1).optional(), value: z.string().optional() }
const positional = z
  .strictObject({ ...input, type: z.literal('positional'), valueHint: z.string().optional() })
  .refine(({ value, valueHint }) => (value ?? valueHint) !== undefined)
const named = z.strictObject({
  ...input,
  type: z.literal('named'),
  name: z.string().startsWith('--'),
  format: z.enum(['string', 'number', 'boolean', 'filepath']).optional(),
})
const argumentList = z.array(z.union([positional, named]))
const serverFile = z.strictObject({
  $schema: z.literal('https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json'),
  name: z
    .string()
    .max(200)
    .regex(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/),
  title: z.string().min(1).max(100),
  description: z.string().min(1).max(100),
  version: exactVersion,
  packages: z.tuple([
    z.strictObject({
      registryType: z.literal('npm'),
      identifier: z.string(),
      version: exactVersion,
      runtimeHint: z.literal('npx'),
      runtimeArguments: argumentList,
      packageArguments: argumentList,
      transport: z.strictObject({ type: z.literal('stdio') }),
    }),
  ]),
})

const json = async (app: App, file: string) =>
  JSON.parse(await readFile(join(app.path, 'node_modules/daybook', file), 'utf8')) as unknown
const manifestShape = z.looseObject({
  name: z.string(),
  version: z.string(),
  mcpName: z.string(),
  bin: z.record(z.string(), z.string()),
})

/** The command that `npx -y daybook` runs in the app. */
async function commandOf(app: App) {
  const { bin } = manifestShape.parse(await json(app, 'package.json'))
  return join(app.path, 'node_modules/daybook', bin['daybook'] ?? '')
}

test('server.json follows the rules of the registry, and names this package', async () => {
  await using app = await createApp([])
  const server = serverFile.parse(await json(app, 'server.json'))
  const { name, version, mcpName } = manifestShape.parse(await json(app, 'package.json'))
  expect([server.name, server.version]).toEqual([mcpName, version])
  expect(server.packages[0]).toMatchObject({ identifier: name, version })
})

test('the command that server.json names serves the tools', async () => {
  await using app = await createApp([])
  const { packages } = serverFile.parse(await json(app, 'server.json'))
  const [{ runtimeArguments, packageArguments }] = packages
  expect(runtimeArguments).toEqual([{ type: 'positional', value: '-y' }])
  const values: Readonly<Record<string, string>> = {
    '--book': join(app.path, 'my.daybook'),
    '--tools': 'recall',
  }
  const args = packageArguments.flatMap((one) =>
    one.type === 'named' ? [one.name, values[one.name] ?? ''] : [one.value ?? ''],
  )
  expect(args[0]).toBe('mcp')
  const client = new Client({ name: 'stranger', version: '1' })
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [await commandOf(app), ...args] }),
  )
  expect((await client.listTools()).tools.map(({ name }) => name)).toContain('remember')
  await client.close()
})

test.each(['SessionStart', 'SessionEnd'])('the plugin in the package runs its hook %s', async (event) => {
  await using app = await createApp([])
  const hookFile = z.object({
    hooks: z.record(
      z.string(),
      z.tuple([z.object({ hooks: z.tuple([z.looseObject({ command: z.string() })]) })]),
    ),
  })
  const { hooks } = hookFile.parse(await json(app, 'plugins/daybook/hooks/hooks.json'))
  const [npx, yes, name, ...args] = hooks[event]?.[0].hooks[0].command.split(' ') ?? []
  expect([npx, yes, name]).toEqual(['npx', '-y', 'daybook'])
  const child = spawn(process.execPath, [await commandOf(app), ...args, '--home', app.path])
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (part: string) => (stderr += part))
  child.stdin.end(JSON.stringify({ session_id: 's-1', hook_event_name: event }))
  const [code] = (await once(child, 'close')) as [number]
  expect([code, stderr]).toEqual([0, event === 'SessionEnd' ? 'The session has no transcript.\n' : ''])
})
