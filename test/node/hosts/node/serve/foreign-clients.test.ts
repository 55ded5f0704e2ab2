// Clients of MCP that nobody here wrote, over `daybook mcp` and over `daybook serve`: each lists the tools, remembers, recalls,
// reads a resource and gets an error.
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Installed, installNpm, installPython } from '../../../../support/foreign-package.ts'
import { cli } from '../command-line.ts'
import { skipped } from '../postgres/postgres-world.ts'
import { createServeWorld } from './serve-world.ts'

interface Found {
  readonly tools: readonly string[]
  readonly ref: string
  readonly found: string
  readonly read: string
  readonly isError: boolean
  readonly error: string
}
/** A command over stdio, or an address with its key. */
type Place =
  | { readonly command: string; readonly args: readonly string[] }
  | { readonly url: string; readonly key: string }

const { key, start, open, close } = createServeWorld()
const fileOf = (name: string) =>
  fileURLToPath(new URL(`../../../../support/mcp/foreign/${name}`, import.meta.url))
const folderOf = (found: Installed) => ('folder' in found ? found.folder : '')
const why = (found: Installed) => ('missing' in found ? ` (skipped: ${found.missing})` : '')
const run = async (program: string, args: readonly string[]) => {
  const ended = promisify(execFile)(program, [...args], { timeout: 120_000 })
  // The inspector ends with a code of its own after an error of a tool, and prints the answer all the same.
  const { stdout } = await ended.catch((error: { readonly stdout?: string }) => {
    if (error.stdout?.startsWith('{')) return { stdout: error.stdout }
    throw error
  })
  return stdout
}

const python = installPython('mcp', ['mcp==2.3.0'])
const langchain = installNpm('langchain-mcp', {
  '@langchain/mcp-adapters': '1.1.4',
  '@langchain/core': '1.4.0',
  '@langchain/langgraph': '1.7.3',
})
const inspector = installNpm('mcp-inspector', { '@modelcontextprotocol/inspector': '2.12.0' })

/** The command line of MCP Inspector makes a connection for each request. */
async function inspect(place: Place): Promise<Found> {
  const program = join(folderOf(inspector), 'node_modules/.bin/mcp-inspector')
  const target =
    'url' in place
      ? [place.url, '--transport', 'http', '--header', `authorization: Bearer ${place.key}`]
      : [place.command, ...place.args]
  const ask = async (...args: readonly string[]) =>
    JSON.parse(await run(program, ['--cli', ...target, ...args])) as Record<string, never>
  const tool = async (name: string, arg: string) => {
    const args = ['--method', 'tools/call', '--tool-name', name, '--tool-arg', arg]
    const { content, isError } = (await ask(...args)) as { content?: { text: string }[]; isError?: boolean }
    return { text: content?.[0]?.text ?? '', isError: isError === true }
  }
  const { tools } = (await ask('--method', 'tools/list')) as { tools?: { name: string }[] }
  const { ref } = JSON.parse((await tool('remember', 'text=Ann likes jasmine tea')).text) as { ref: string }
  const found = (await tool('recall', 'text=tea')).text
  const read = await ask('--method', 'resources/read', '--uri', `daybook://records/${ref}`)
  const error = await tool('query_memory', 'filters={"created_at":{"near":1}}')
  return {
    tools: (tools ?? []).map(({ name }) => name),
    ref,
    found,
    read: JSON.stringify(read),
    isError: error.isError,
    error: error.text,
  }
}

const clients: Readonly<Record<string, { installed: Installed; use: (place: Place) => Promise<Found> }>> = {
  'the official Python client': {
    installed: python,
    use: async (place) =>
      JSON.parse(
        await run(join(folderOf(python), 'bin/python'), [fileOf('python-client.py'), JSON.stringify(place)]),
      ) as Found,
  },
  'the adapter of LangChain': {
    installed: langchain,
    use: async (place) =>
      JSON.parse(
        await run(process.execPath, [
          fileOf('langchain-client.mjs'),
          folderOf(langchain),
          JSON.stringify(place),
        ]),
      ) as Found,
  },
  'MCP Inspector': { installed: inspector, use: inspect },
}

let folder = ''
let url = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'daybook-clients-'))
  if (skipped !== '') return
  await open()
  ;({ url } = await start())
})
afterAll(async () => {
  await close()
  await rm(folder, { recursive: true, force: true })
})

function check({ tools, ref, found, read, isError, error }: Found): void {
  expect(tools).toEqual(expect.arrayContaining(['remember', 'recall', 'get', 'query_memory']))
  expect(ref).toMatch(/^[\w-]{30,}$/)
  expect(found).toContain('jasmine')
  expect(read).toContain('jasmine')
  expect([isError, error]).toEqual([true, expect.stringContaining('invalid-filter')])
}

describe.each(Object.entries(clients))('%s', (name, { installed, use }) => {
  it.skipIf('missing' in installed)(`uses \`daybook mcp\`${why(installed)}`, async () => {
    const file = join(folder, `${name.replaceAll(' ', '-')}.daybook`)
    check(await use({ command: process.execPath, args: ['--no-warnings', cli, 'mcp', '--book', file] }))
  })

  it.skipIf('missing' in installed || skipped !== '')(
    `uses \`daybook serve\`${why(installed)}${skipped}`,
    async () => {
      check(await use({ url: `${url}/v1/books/${name.replaceAll(' ', '-')}/mcp`, key }))
    },
  )
})
