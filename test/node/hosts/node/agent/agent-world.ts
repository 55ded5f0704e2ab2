// Books that messages reach over every way there is: in this process, over a socket, over MCP, at an edge.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import type { Daybook } from '../../../../../src/book/daybook.ts'
import { createStdioTransport, DaybookClient, openDaybook } from '../../../../../src/hosts/node/index.ts'
import { storeTraceMessage } from '../../../../contract/seed-shape/specification-data.ts'
import { cli } from '../command-line.ts'
import { createServeWorld } from '../serve/serve-world.ts'
import { killAll } from '../socket/process.ts'

export const folder = mkdtempSync(join(tmpdir(), 'daybook-agent-'))
export const world = createServeWorld()
const closing: { close(): Promise<void> }[] = []
beforeAll(async () => {
  await world.open()
  place.url = (await world.start({ settings: { DAYBOOK_BOOK: place.book } })).url
})
afterEach(async () => {
  for (const one of closing.splice(0)) await one.close()
  await killAll()
})
afterAll(async () => {
  await world.close()
  rmSync(folder, { recursive: true, force: true })
})

/** An edge that was started for one book. */
export const place = { url: '', book: 'agents' }

let serial = 0
export const newPath = () => join(folder, `${++serial}`, 'agents.daybook')

export async function openBook(path: string): Promise<Daybook> {
  const book = await openDaybook({ name: 'shared', path })
  closing.unshift(book)
  return book
}

export function openClient(options: ConstructorParameters<typeof DaybookClient>[0]): DaybookClient {
  const client = new DaybookClient(options)
  closing.unshift(client)
  return client
}

export const stdio = (path: string) =>
  createStdioTransport({
    command: process.execPath,
    args: ['--no-warnings', cli, 'mcp', '--book', path, '--tools', 'kstar'],
  })

export const { id, destination, content } = storeTraceMessage
export const asked = {
  destination: destination.agent_id,
  capability: destination.capability_id,
  content: content[0].data,
}
export const send = (client: DaybookClient, requestId: string = id) => client.deliver({ ...asked, requestId })
/** What a trace says, without what is its copy's own: who stored it when, and under which id. */
export const told = ({ situation, task, action, result }: Record<string, unknown>) => ({
  situation,
  task,
  action,
  result,
})
export const receipt = { trace_id: expect.any(String) as string, stored_at: expect.any(String) as string }
