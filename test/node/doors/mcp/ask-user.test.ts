// Questions to the user of a host, by the official client in both eras: accepted, declined, cancelled, and a client without
// forms, for which nothing differs.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client, type ElicitResult } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openDaybook } from '../../../../src/hosts/node/index.ts'
import { callTool, type Era } from '../../../contract/mcp/mcp.ts'
import { cli } from '../../hosts/node/command-line.ts'

let folder = ''
let serial = 0
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'daybook-ask-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

interface Asked {
  readonly message: string
  readonly requestedSchema: object
}

/** A host whose user gives `reply` to each question; without a reply it has no forms. */
async function openHost(era: Era, reply?: ElicitResult, capability: Record<string, object> = { form: {} }) {
  const path = join(folder, `${++serial}.daybook`)
  const questions: Asked[] = []
  const client = new Client(
    { name: 'editor', version: '1' },
    {
      versionNegotiation: { mode: era === 'modern' ? { pin: '2026-07-28' } : 'legacy' },
      capabilities: (reply ? { elicitation: capability } : {}) as object,
    },
  )
  if (reply)
    client.setRequestHandler('elicitation/create', ({ params }) => {
      questions.push(params as unknown as Asked)
      return reply
    })
  const args = [cli, 'mcp', '--book', path, '--tools', 'recall,graph,a2p']
  await client.connect(new StdioClientTransport({ command: process.execPath, args, stderr: 'pipe' }))
  const book = await openDaybook({ name: 'agent', path })
  return {
    client,
    book,
    questions,
    async [Symbol.asyncDispose]() {
      await client.close()
      await book.close()
    },
  }
}

const replies = {
  accepted: { action: 'accept', content: {} },
  declined: { action: 'decline' },
  cancelled: { action: 'cancel' },
} satisfies Record<string, ElicitResult>
const proposal = { content: 'Likes jazz', category: 'a2p:interests.music' }

describe.each(['legacy', 'modern'] as const)('in the %s era', (era) => {
  it.each(['accepted', 'declined', 'cancelled'] as const)('a cascade that is %s', async (name) => {
    await using host = await openHost(era, replies[name])
    const { id } = await host.book.remember({ text: 'Ann likes tea.' })
    const { isError, text } = await callTool(host.client, 'forget', { ref: id, cascade: true })
    expect(host.questions).toMatchObject([{ message: expect.stringContaining('Ann likes tea.') }])
    const stays = (await host.book.records.get({ id })) !== null
    expect([isError, stays]).toEqual(name === 'accepted' ? [false, false] : [true, true])
    if (name !== 'accepted') expect(text).toContain(name === 'declined' ? 'forbidden' : 'aborted')
  })

  it('one record is deleted without a question, several are not', async () => {
    await using host = await openHost(era, replies.declined)
    const { id } = await host.book.remember({ text: 'Ann likes tea.' })
    expect(await callTool(host.client, 'forget', { ref: id })).toMatchObject({ isError: false })
    const entities = ['Ann', 'Bob'].map((entity) => ({
      name: entity,
      entityType: 'person',
      observations: [],
    }))
    await callTool(host.client, 'create_entities', { entities })
    expect(host.questions).toEqual([])
    const both = await callTool(host.client, 'delete_entities', { entityNames: ['Ann', 'Bob'] })
    expect([both.isError, host.questions]).toMatchObject([
      true,
      [{ message: expect.stringContaining('"Ann", "Bob"') }],
    ])
    expect((await callTool(host.client, 'read_graph')).value['entities']).toHaveLength(2)
    const one = await callTool(host.client, 'delete_entities', { entityNames: ['Ann'] })
    expect([one.isError, host.questions.length]).toEqual([false, 1])
  })

  it.each([
    ['approve', { action: 'accept', content: { decision: 'approve' } }, 'approved', 1],
    ['reject', { action: 'accept', content: { decision: 'reject' } }, 'rejected', 0],
    ['later', { action: 'accept', content: { decision: 'later' } }, 'pending', 0],
    ['decline', { action: 'decline' }, 'pending', 0],
    ['cancel', { action: 'cancel' }, 'pending', 0],
  ] as const)('the user decides about a proposal: %s', async (_name, reply, status, stored) => {
    await using host = await openHost(era, reply as ElicitResult)
    const { isError, value, text } = await callTool(host.client, 'a2p_propose_memory', { proposal })
    expect([isError, value['status']], text).toEqual([false, status])
    expect(host.questions).toMatchObject([{ message: expect.stringContaining('Likes jazz') }])
    const { proposals } = await host.book.proposals.list({ id: String(value['proposal_id']) })
    expect(proposals).toMatchObject([{ status }])
    expect((await host.book.memories.query()).memories).toHaveLength(stored)
  })

  it.each([
    ['no forms', undefined, {}],
    ['addresses only', replies.declined, { url: {} }],
  ] as const)('a client with %s is not asked', async (_name, reply, capability) => {
    await using host = await openHost(era, reply, capability)
    const { id } = await host.book.remember({ text: 'Ann likes tea.' })
    const forgotten = await callTool(host.client, 'forget', { ref: id, cascade: true })
    expect([forgotten.isError, host.questions]).toEqual([false, []])
    const { value } = await callTool(host.client, 'a2p_propose_memory', { proposal })
    expect([value['status'], host.questions]).toEqual(['pending', []])
  })
})
