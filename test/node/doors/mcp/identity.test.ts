// Several hosts of agents on one book, each a process of `daybook mcp`: each has an agent name of its own, which ends with
// its process, however that ends.
import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Client, Client as McpClient } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Daybook, openDaybook } from '../../../../src/hosts/node/index.ts'
import { callTool, type Era } from '../../../contract/mcp/mcp.ts'
import { windowCases } from '../../../contract/mcp/windows.ts'
import { cli, ended, startDaybook } from '../../hosts/node/command-line.ts'

let folder = ''
let serial = 0
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'daybook-identity-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))
const file = (name: string) => join(folder, `${name}.daybook`)

interface Window extends AsyncDisposable {
  readonly client: Client
  /** Kills its process, and waits until it is gone. */
  kill(): Promise<void>
}

async function open(path: string, options: { name?: string; era?: Era; args?: readonly string[] } = {}) {
  const { name = 'Editor', era = 'legacy', args = [] } = options
  const client = new McpClient(
    { name, version: '1' },
    { versionNegotiation: { mode: era === 'modern' ? { pin: '2026-07-28' } : 'legacy' } },
  )
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [cli, 'mcp', '--book', path, '--tools', 'recall,records,graph,katra,a2p', ...args],
    stderr: 'pipe',
  })
  await client.connect(transport)
  const window: Window = {
    client,
    async kill() {
      const gone = new Promise<void>((resolve) => (client.onclose = resolve))
      process.kill(transport.pid ?? 0, 'SIGKILL')
      await gone
    },
    [Symbol.asyncDispose]: () => client.close(),
  }
  return window
}

/** Calls a tool that must not fail. */
async function call({ client }: Window, name: string, input: object = {}) {
  const { isError, value, text } = await callTool(client, name, input)
  expect(isError, text).toBe(false)
  return value
}

const note = (window: Window, text: string) => call(window, 'store_fact', { schema: 'note', data: { text } })

async function agentsByText(book: Daybook): Promise<Record<string, string>> {
  const { records } = await book.records.query({ kind: 'fact', filters: { schema: 'note' } })
  return Object.fromEntries(
    records.map(({ agent, data }) => [String((data as { text: string }).text), String(agent)]),
  )
}

it.each(['legacy', 'modern'] as const)(
  'each window stores and speaks under a name of its own, which is free once its process is gone (%s)',
  async (era) => {
    const path = file(`names-${era}`)
    await using first = await open(path, { era })
    await note(first, 'one')
    {
      const second = await open(path, { era })
      await note(second, 'two')
      await call(second, 'katra_say', { message: 'I am here' })
      expect(await call(first, 'katra_hear')).toMatchObject({ speaker_name: 'editor-2' })
      await second.kill()
    }
    await using third = await open(path, { era })
    await note(third, 'three')
    await using other = await open(path, { era, name: 'Chat App' })
    await note(other, 'four')
    // Wins over the name of the client.
    await using named = await open(path, { era, args: ['--agent', 'research'] })
    await note(named, 'five')
    await using book = await openDaybook({ name: 'agent', path })
    expect(await agentsByText(book)).toEqual({
      one: 'editor',
      two: 'editor-2',
      three: 'editor-2',
      four: 'chat-app',
      five: 'research',
    })
  },
)

it('a host has its name again tomorrow, also after it was killed as the owner of the book', async () => {
  const path = file('again')
  for (const text of ['monday', 'tuesday']) {
    const window = await open(path)
    await note(window, text)
    if (text === 'monday') await window.kill()
    else await window.client.close()
  }
  await using window = await open(path)
  await note(window, 'wednesday')
  await using book = await openDaybook({ name: 'agent', path })
  expect(new Set(Object.values(await agentsByText(book)))).toEqual(new Set(['editor']))
})

it('finds and changes what an earlier Daybook stored as `agent`', async () => {
  const path = file('earlier')
  {
    await using book = await openDaybook({ name: 'agent', path })
    await book.facts.store({ schema: 'note', data: { text: 'Ann likes tea' } })
    const { call: callLocal } = await book.tools({ format: 'openai', set: 'graph' })
    const entity = { name: 'Ann', entityType: 'person', observations: ['tea'] }
    expect(await callLocal('create_entities', { entities: [entity] })).toMatchObject({ isError: false })
  }
  await using window = await open(path)
  expect((await call(window, 'recall', { text: 'tea' }))['hits']).not.toEqual([])
  await call(window, 'add_observations', { observations: [{ entityName: 'Ann', contents: ['jazz'] }] })
  expect(JSON.stringify(await call(window, 'read_graph'))).toMatch(/tea.*jazz/)
})

it('ends at once if the book can not be opened for the host, whose input stays open', async () => {
  const child = spawn(process.execPath, [cli, 'mcp', '--book', file('refused'), '--token', 'unknown'])
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } }
  child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`)
  const { code, stderr } = await ended(child)
  expect([code, stderr]).toEqual([1, expect.stringMatching(/^forbidden: /m)])
})

it('proposes under its name, and the owner approves', async () => {
  const path = file('proposed')
  await using window = await open(path)
  const proposal = { content: 'Likes jazz', category: 'a2p:interests.music' }
  const { proposal_id: id } = await call(window, 'a2p_propose_memory', { proposal })
  const approved = await ended(startDaybook(['approve', String(id), '--book', path]))
  expect(approved).toMatchObject({ code: 0, stderr: '' })
  await using book = await openDaybook({ name: 'agent', path })
  const { memories } = await book.memories.query()
  expect(memories.map(({ source }) => source)).toEqual([
    expect.objectContaining({ agentDid: 'did:a2p:agent:local:editor' }),
  ])
})

it('`mcp call` is an agent of its own, with a persona from one call to the next', async () => {
  const path = file('called')
  await using ada = await open(path)
  await call(ada, 'katra_register', { name: 'Ada' })
  const run = async (tool: string, input: object, ...args: string[]) => {
    const json = JSON.stringify(input)
    const { code, stdout, stderr } = await ended(
      startDaybook(['mcp', 'call', tool, '--args', json, '--book', path, '--json', ...args]),
    )
    return code === 0 ? (JSON.parse(stdout) as Record<string, unknown>) : stderr
  }
  // Not as Ada, who is in another window.
  expect(await run('katra_learn', { knowledge: 'Trains are late' })).toContain('E_NOT_INITIALIZED')
  expect(await run('katra_register', { name: 'Bob' })).toMatchObject({ is_new: true })
  await run('katra_learn', { knowledge: 'Trains are late on Fridays' })
  expect(contents((await run('katra_recent', {})) as Record<string, unknown>)).toEqual([
    'Trains are late on Fridays',
  ])
  await call(ada, 'katra_say', { message: 'Good night' })
  expect(await run('katra_hear', {})).toMatchObject({ speaker_name: 'Ada' })
  expect(await run('katra_whoami', {})).toMatchObject({ name: 'Bob', session_id: expect.any(String) })
  await run('store_fact', { schema: 'note', data: { text: 'one' } })
  await run('store_fact', { schema: 'note', data: { text: 'two' } }, '--agent', 'research')
  const proposal = { content: 'Likes jazz', category: 'a2p:interests.music' }
  const { proposal_id: id } = (await run('a2p_propose_memory', { proposal })) as { proposal_id: string }
  expect(await ended(startDaybook(['approve', id, '--book', path]))).toMatchObject({ code: 0 })
  await using book = await openDaybook({ name: 'agent', path })
  expect(await agentsByText(book)).toEqual({ one: 'mcp-call', two: 'research' })
  expect(await call(ada, 'katra_whoami')).toMatchObject({ name: 'Ada', session_id: expect.any(String) })
})

windowCases(async () => {
  const path = file(`windows-${++serial}`)
  const windows: Window[] = []
  const book = await openDaybook({ name: 'agent', path })
  return {
    async window() {
      const window = await open(path)
      windows.push(window)
      return { client: window.client, end: () => window.client.close() }
    },
    run: (id: string, input: unknown) => book.call(id as never, input as never),
    async [Symbol.asyncDispose]() {
      for (const { client } of windows) await client.close()
      await book.close()
    },
  }
})

const contents = (answer: Record<string, unknown>) =>
  (answer['memories'] as { content: string }[]).map(({ content }) => content)

it('two windows are two personas: each remembers, speaks and sleeps as itself', async () => {
  const path = file('personas')
  const ada = await open(path)
  await using bob = await open(path)
  const registered = await call(ada, 'katra_register', { name: 'Ada' })
  await call(bob, 'katra_register', { name: 'Bob' })
  await call(ada, 'katra_learn', { knowledge: 'Cranes are oiled on Mondays' })
  await call(bob, 'katra_learn', { knowledge: 'Trains are late on Fridays' })
  expect(await call(ada, 'katra_whoami')).toMatchObject({ name: 'Ada', session_id: registered['session_id'] })
  expect(await call(bob, 'katra_whoami')).toMatchObject({ name: 'Bob', session_id: expect.any(String) })
  expect(contents(await call(ada, 'katra_recent'))).toEqual(['Cranes are oiled on Mondays'])
  expect(contents(await call(bob, 'katra_recent'))).toEqual(['Trains are late on Fridays'])
  await call(ada, 'katra_say', { message: 'Good night' })
  expect(await call(bob, 'katra_hear')).toMatchObject({ speaker_name: 'Ada', content: 'Good night' })
  expect((await callTool(ada.client, 'katra_register', { name: 'Eve' })).text).toContain(
    'E_ALREADY_INITIALIZED',
  )
  // As itself; the other one stays awake.
  expect(await call(ada, 'katra_session_end')).toMatchObject({ session_id: registered['session_id'] })
  expect(await call(ada, 'katra_whoami')).toMatchObject({ name: 'Ada', session_id: null })
  expect(await call(bob, 'katra_whoami')).toMatchObject({ name: 'Bob', session_id: expect.any(String) })
  const again = await call(ada, 'katra_register', { name: 'Ada' })
  expect(again).toMatchObject({ is_new: false, ci_id: registered['ci_id'] })
  await ada.client.close()
  await using book = await openDaybook({ name: 'agent', path })
  const { sessions } = await book.sessions.list({ persona: 'Ada' })
  expect(sessions.map(({ state, reason }) => [state, reason])).toEqual([
    ['ended', 'request'],
    ['ended', 'request'],
  ])
})

/** Resolves when the last session of the persona has ended; the reason of its end. */
function endOf(book: Daybook, persona: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const look = async () => {
      const [last] = (await book.sessions.list({ persona })).sessions
      if (last?.state === 'ended') resolve(last.reason)
    }
    book.on('change', () => void look())
    void look()
  })
}

it('a persona sleeps when its window is killed, and wakes in the next one', async () => {
  const path = file('killed')
  await using ada = await open(path)
  await call(ada, 'katra_register', { name: 'Ada' })
  const bob = await open(path)
  await call(bob, 'katra_register', { name: 'Bob' })
  await call(bob, 'katra_learn', { knowledge: 'Trains are late on Fridays' })
  await using book = await openDaybook({ name: 'agent', path })
  await bob.kill()
  expect(await endOf(book, 'Bob')).toBe('disconnected')
  await using next = await open(path)
  const { session_id: session } = await call(next, 'katra_register', { name: 'Bob' })
  expect(session).toEqual(expect.any(String))
  expect(contents(await call(next, 'katra_recent'))).toEqual(['Trains are late on Fridays'])
  // The owner of the book.
  await ada.kill()
  expect(await endOf(book, 'Ada')).toBe('disconnected')
  expect(await call(next, 'katra_whoami')).toMatchObject({ name: 'Bob', session_id: session })
})
