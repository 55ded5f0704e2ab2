// `daybook proposals`, `approve`, `reject` and `edit`: the owner decides about what a running host of agents proposed.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openDaybook } from '../../../../../src/hosts/node/index.ts'
import { callTool, newClient } from '../../../../contract/mcp/mcp.ts'
import { cli, ended, startDaybook } from '../command-line.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'daybook-decide-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const run = (...args: readonly string[]) => ended(startDaybook(args))

async function startHost(...args: readonly string[]): Promise<Client> {
  const client = newClient('legacy')
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [cli, 'mcp', '--tools', 'a2p', ...args],
    stderr: 'pipe',
  })
  await client.connect(transport)
  return client
}

async function propose(client: Client, content: string): Promise<string> {
  const proposal = { content, category: 'a2p:interests.music' }
  const { isError, value } = await callTool(client, 'a2p_propose_memory', { proposal })
  expect([isError, value]).toEqual([false, expect.objectContaining({ status: 'pending' })])
  return String(value['proposal_id'])
}

it.each([
  ['the book of the default agent', (name: string) => ['--home', join(folder, name)]],
  ['the book of a workspace', (name: string) => ['--book', join(folder, `${name}.daybook`)]],
])('decides about what a host proposed, in %s', async (_where, place) => {
  const at = place(`decide-${place('x')[0]}`)
  const client = await startHost(...at)
  const ids: string[] = []
  for (const text of ['Likes jazz', 'Likes noise', 'Likes song']) ids.push(await propose(client, text))
  const [jazz = '', noise = '', song = ''] = ids
  const listed = await run('proposals', ...at)
  expect(listed).toMatchObject({ code: 0, stderr: '' })
  expect(listed.stdout.trim().split('\n')).toHaveLength(3)
  expect(listed.stdout).toMatch(new RegExp(`${jazz} {2}pending .*a2p:interests.music {2}"Likes jazz"`))
  expect(await run('approve', jazz, ...at)).toEqual({
    code: 0,
    stdout: expect.stringMatching(new RegExp(`^Approved ${jazz}: mem_`)),
    stderr: '',
  })
  expect(await run('reject', noise, '--reason', 'Not mine', ...at)).toMatchObject({
    code: 0,
    stdout: `Rejected ${noise}\n`,
  })
  const edited = await run('edit', song, 'Likes', 'soul', '--json', ...at)
  expect(JSON.parse(edited.stdout)).toMatchObject({ id: song, status: 'edited', memory: expect.any(String) })
  const { value } = await callTool(client, 'a2p_query_memories')
  const contents = (value['result'] as { content: string }[]).map(({ content }) => content)
  expect(contents.toSorted()).toEqual(['Likes jazz', 'Likes soul'])
  expect(await run('proposals', ...at)).toEqual({ code: 0, stdout: '', stderr: '' })
  const all = await run('proposals', '--status', 'all', '--json', ...at)
  const { proposals } = JSON.parse(all.stdout) as { proposals: { status: string; resolution: object }[] }
  expect(proposals.map(({ status }) => status)).toEqual(['edited', 'rejected', 'approved'])
  expect(await run('approve', noise, ...at)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('already rejected'),
  })
  await client.close()
})

it('decides about what the agent of the book proposed, also of an earlier Daybook, and not about its own', async () => {
  const path = join(folder, 'earlier.daybook')
  const proposal = (content: string) => ({ content, category: 'a2p:context' })
  let [first, own] = ['', '']
  {
    await using book = await openDaybook({ name: 'agent', path })
    first = (await book.proposals.propose(proposal('Lives in Bonn'))).id
    await using owner = await openDaybook({ name: 'agent', path, agent: 'Owner' })
    own = (await owner.proposals.propose(proposal('Lives in Ulm'))).id
  }
  expect(await run('approve', first, '--book', path)).toMatchObject({ code: 0, stderr: '' })
  expect(await run('approve', own, '--book', path)).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^forbidden: /),
  })
})

it('approves hidden characters only when it is asked to', async () => {
  const path = join(folder, 'hidden.daybook')
  let id = ''
  {
    await using book = await openDaybook({ name: 'agent', path })
    id = (await book.proposals.propose({ content: 'Pay\u200b me', category: 'a2p:context' })).id
  }
  const listed = await run('proposals', '--book', path)
  expect(listed.stdout).toContain('(has hidden characters)')
  expect(await run('approve', id, '--book', path)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--despite-hidden'),
  })
  expect(await run('approve', id, '--book', path, '--despite-hidden')).toMatchObject({ code: 0, stderr: '' })
})

it.each([
  [['approve'], 'approve takes the id of one proposal'],
  [['reject', 'one', 'two'], 'reject takes the id of one proposal'],
  [['edit', 'one'], 'edit takes the id of one proposal, and its new text'],
  [['proposals', '--status', 'open'], '--status takes pending'],
])('does not understand %j', async (args, message) => {
  const { code, stdout, stderr } = await run(...args, '--home', join(folder, 'none'))
  expect([code, stdout]).toEqual([2, ''])
  expect(stderr).toContain(message)
})

it('says that there is no such proposal, and no such memory', async () => {
  const path = join(folder, 'none.daybook')
  await (await openDaybook({ name: 'agent', path })).close()
  expect(await run('approve', 'prop_none', '--book', path)).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^not-found: /),
  })
  expect(await run('proposals', '--home', join(folder, 'nobody'))).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('has no memory here'),
  })
})
