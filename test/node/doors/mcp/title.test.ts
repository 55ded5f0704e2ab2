// Titles and icons, for people who look at a list of servers and tools.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { InMemoryTransport } from '@modelcontextprotocol/client'
import { expect, it } from 'vitest'
import { root } from '../../../../scripts/place.mjs'
import { iconsFor } from '../../../../src/doors/mcp/icon.ts'
import { loadMcp } from '../../../../src/doors/mcp/mcp-book.ts'
import { createMcpServer } from '../../../../src/doors/mcp/mcp-server.ts'
import { toolSetNames } from '../../../../src/doors/mcp/tool-set.ts'
import { newClient } from '../../../contract/mcp/mcp.ts'

/** A client of a server with these sets, to which it says that it speaks `revision`. */
async function open(revision: string | undefined) {
  const sets = toolSetNames.filter((name) => name !== 'ks')
  const book = { place: 'device' as const, now: () => 0, call: () => Promise.resolve({ rules: [] }) }
  const server = createMcpServer({ mcp: await loadMcp(), era: 'legacy', revision, book, sets, version: '1' })
  const [here, there] = InMemoryTransport.createLinkedPair()
  await server.connect(there)
  const client = newClient('legacy')
  await client.connect(here)
  return client
}

it('every tool, prompt, resource and template has a title, each tool another one', async () => {
  const client = await open('2025-11-25')
  const { tools } = await client.listTools()
  const { prompts } = await client.listPrompts()
  const { resources } = await client.listResources()
  const { resourceTemplates } = await client.listResourceTemplates()
  const titles = tools.map(({ title }) => title)
  expect(titles).toEqual(expect.arrayContaining(['Store trace', 'Kstar store trace', 'Katra remember']))
  expect(new Set(titles).size).toBe(tools.length)
  for (const { title } of [...tools, ...prompts, ...resources, ...resourceTemplates])
    expect(title).toMatch(/^[A-Z]/)
  await client.close()
})

it.each([
  ['2025-11-25', 1],
  ['2025-06-18', undefined],
  [undefined, undefined],
] as const)('a client of the revision %s gets %s icons of the server', async (revision, count) => {
  const client = await open(revision)
  expect(client.getServerVersion()?.icons?.length).toBe(count)
  await client.close()
})

it('the icon is that of the product', () => {
  const file = readFileSync(join(root, 'demo/public/icon.svg'), 'utf8')
  const [{ src } = { src: '' }] = iconsFor('2026-07-28').icons ?? []
  const [head, data = ''] = src.split(',')
  expect(head).toBe('data:image/svg+xml;base64')
  expect(atob(data)).toBe(file.replaceAll(/\n\s*/g, '').replaceAll(' />', '/>'))
})
