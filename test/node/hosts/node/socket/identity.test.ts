// Agents at the socket of a book: each connection is an agent and a persona of its own, which end with it, however it ends.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, expect, it } from 'vitest'
import { DaybookClient, type Daybook, openDaybook } from '../../../../../src/hosts/node/index.ts'
import { ended, startDaybook } from '../command-line.ts'
import { killAll, startProcess } from './process.ts'
import { frameOf, openRaw, socketOf } from './raw-socket.ts'

const folder = mkdtempSync(join(tmpdir(), 'daybook-socket-identity-'))
const closing: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const one of closing.splice(0)) await one.close()
  await killAll()
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

let serial = 0
async function openBook(): Promise<{ book: Daybook; path: string }> {
  const path = join(folder, `${++serial}`, 'shared.daybook')
  const book = await openDaybook({ name: 'shared', path })
  closing.push(book)
  return { book, path }
}

type Values = Record<string, unknown>

/** A client of its own over the socket. Its connection begins with its first message. */
function connect(path: string, source: string) {
  const client = new DaybookClient({ socket: socketOf(path), source })
  closing.unshift(client)
  return {
    call: async (capability: string, content: Values = {}) =>
      (await client.send({ capability, content })) as Values,
    end: () => client.close(),
  }
}

const contents = ({ memories }: Values) => (memories as { content: string }[]).map(({ content }) => content)
const refusal = { error: 'E_NOT_INITIALIZED' }

/** Resolves when the last session of the persona has ended; the reason of its end. */
const endOf = (book: Daybook, persona: string) =>
  new Promise<string | undefined>((resolve) => {
    const look = async () => {
      const [last] = (await book.sessions.list({ persona })).sessions
      if (last?.state === 'ended') resolve(last.reason)
    }
    book.on('change', () => void look())
    void look()
  })

it('Alice and Bob remember, talk, propose and sleep as themselves, and the owner approves', async () => {
  const { book, path } = await openBook()
  const [alice, bob] = [connect(path, 'tutor'), connect(path, 'tutor')]
  const { session_id: session } = await alice.call('katra_register', { name: 'Alice' })
  expect(await bob.call('katra_learn', { knowledge: 'Trains are late' })).toMatchObject(refusal)
  await bob.call('katra_register', { name: 'Bob' })
  await alice.call('katra_learn', { knowledge: 'Cranes are oiled on Mondays' })
  await bob.call('katra_learn', { knowledge: 'Trains are late on Fridays' })
  expect(await alice.call('katra_whoami')).toMatchObject({ name: 'Alice', session_id: session })
  expect(await bob.call('katra_whoami')).toMatchObject({ name: 'Bob', session_id: expect.any(String) })
  expect(contents(await alice.call('katra_recent'))).toEqual(['Cranes are oiled on Mondays'])
  expect(contents(await bob.call('katra_recent'))).toEqual(['Trains are late on Fridays'])
  await alice.call('katra_say', { message: 'Good night' })
  expect(await bob.call('katra_hear')).toMatchObject({ speaker_name: 'Alice', content: 'Good night' })
  expect(await alice.call('katra_hear')).toMatchObject({ message_number: null })
  for (const one of [alice, bob]) await one.call('store_fact', { schema: 'note', data: { text: 'seen' } })
  const { records } = await book.facts.query({ filters: { schema: 'note' }, orderBy: 'created_at' })
  expect(records.map(({ agent }) => agent)).toEqual(['tutor', 'tutor-2'])
  const { id } = await bob.call('a2p:propose', { content: 'Likes jazz', category: 'a2p:interests.music' })
  expect(await ended(startDaybook(['approve', String(id), '--book', path]))).toMatchObject({ code: 0 })
  expect((await book.memories.query()).memories).toMatchObject([
    { source: { agentDid: 'did:a2p:agent:local:tutor-2' } },
  ])
  expect(await alice.call('katra_session_end')).toMatchObject({ session_id: session })
  expect(await bob.call('katra_whoami')).toMatchObject({ name: 'Bob', session_id: expect.any(String) })
  // It says nothing before it ends.
  await bob.end()
  expect(await endOf(book, 'Bob')).toBe('request')
  expect((await book.room.whoIsHere()).participants).toEqual([])
})

it('a persona sleeps when the process of its connection is killed, and its name is free at once', async () => {
  const { book, path } = await openBook()
  const other = await startProcess(join(folder, `${serial}-own`, 'own.daybook'))
  const client = `const { DaybookClient } = await import(${JSON.stringify(
    new URL('../../../../../src/hosts/node/index.ts', import.meta.url).href,
  )}); globalThis.client = new DaybookClient({ socket: ${JSON.stringify(socketOf(path))}, source: 'tutor' });`
  const register = `return client.send({ capability: 'katra_register', content: { name: 'Alice' } })`
  const { session_id: session } = (await other.run(`${client} ${register}`)) as Values
  const stays = connect(path, 'tutor')
  // The same persona in another connection stays awake.
  const { session_id: own, also_in } = await stays.call('katra_register', { name: 'Alice' })
  expect(also_in).toEqual([session])
  await other.kill()
  const changed = () => stays.call('katra_whoami')
  await expect.poll(changed).toMatchObject({ session_id: own, also_in: [] })
  const next = connect(path, 'tutor')
  await next.call('store_fact', { schema: 'note', data: { text: 'again' } })
  const { records } = await book.facts.query({ filters: { schema: 'note' } })
  // Names: the killed one had `tutor`.
  expect(records.map(({ agent }) => agent)).toEqual(['tutor'])
})

it('an envelope of another sender has no part in the persona of the connection', async () => {
  const { path } = await openBook()
  const raw = await openRaw(socketOf(path))
  let number = 0
  const ask = async (sender: string, capability: string, args: object) => {
    const answer = (await raw.ask({
      spec_version: 'p3394/1.0',
      message_id: `e-${++number}`,
      kind: 'message',
      performative: 'request',
      sender: { agent_id: sender },
      recipients: [{ agent_id: 'kstar-memory' }],
      payload: { parts: [{ type: 'json', data: { capability_id: capability, arguments: args } }] },
    })) as { payload: { parts: [{ data: Values }] } }
    return answer.payload.parts[0].data
  }
  const { session_id: session } = await ask('alice', 'katra_register', { name: 'Alice' })
  expect(session).toEqual(expect.any(String))
  expect(await ask('alice', 'katra_whoami', {})).toMatchObject({ name: 'Alice', session_id: session })
  expect(await ask('bob', 'katra_whoami', {})).toMatchObject(refusal)
  expect(await ask('alice', 'katra_learn', { knowledge: 'Cranes are oiled' })).toMatchObject({ stored: true })
  expect(await ask('alice', 'katra_whoami', {})).toMatchObject({ name: 'Alice', session_id: session })
  raw.socket.destroy()
})

it('two holders of one token have a session each', async () => {
  const { book, path } = await openBook()
  const { bearer = '' } = await book.tokens.grant({
    granted_to: 'helper',
    scope: '**',
    permissions: ['read', 'write'],
    expires_at: '2099-01-01T00:00:00.000Z',
  })
  const windows = await Promise.all([1, 2].map(() => openRaw(socketOf(path))))
  let number = 0
  const ask = async (window: number, capability: string, data: object) => {
    const answer = (await windows[window]?.ask({
      id: `t-${++number}`,
      destination: { agent_id: 'kstar-memory', capability_id: capability },
      content: [{ type: 'json', data }],
    })) as { content: [{ data: Values }] }
    return answer.content[0].data
  }
  for (const { socket } of windows) socket.write(frameOf({ t: 'auth', token: bearer }))
  const one = await ask(0, 'katra_register', { name: 'Alice' })
  const two = await ask(1, 'katra_register', { name: 'Alice' })
  expect([one['session_id'], two['also_in']]).toEqual([expect.any(String), [one['session_id']]])
  expect(await ask(1, 'katra_learn', { knowledge: 'Cranes are oiled' })).toMatchObject({ stored: true })
  expect(await ask(0, 'katra_whoami', {})).toMatchObject({ session_id: one['session_id'] })
  windows[0]?.socket.destroy()
  await expect
    .poll(() => ask(1, 'katra_whoami', {}))
    .toMatchObject({ session_id: two['session_id'], also_in: [] })
  windows[1]?.socket.destroy()
  expect(await endOf(book, 'Alice')).toBe('request')
})
