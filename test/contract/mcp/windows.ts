// Two windows of one host on one book: each is an agent and a persona of its own, and ends as itself. Each transport of MCP
// runs this story.
import type { Client } from '@modelcontextprotocol/client'
import { expect, it } from 'vitest'
import { callTool } from './mcp.ts'

export interface McpWindow {
  readonly client: Client
  /** Ends the connection, as the host does when its window is closed. */
  end(): Promise<unknown>
}

export interface WindowWorld extends AsyncDisposable {
  /** Opens a further window with the sets `records` and `katra`. */
  window(): Promise<McpWindow>
  /** Runs a capability of the same book, as its owner. */
  run(id: string, input: unknown): Promise<unknown>
}

/** Calls a tool that must not fail. */
async function call({ client }: McpWindow, name: string, input: object = {}) {
  const { isError, value, text } = await callTool(client, name, input)
  expect(isError, text).toBe(false)
  expect(value['error'], text).toBeUndefined()
  return value
}

const contents = (answer: Record<string, unknown>) =>
  (answer['memories'] as { content: string }[]).map(({ content }) => content)

async function sessionsOf(world: WindowWorld, persona: string) {
  const { sessions } = (await world.run('katra:list_sessions', { persona })) as {
    sessions: { state: string; reason?: string }[]
  }
  return sessions.map(({ state, reason }) => [state, reason])
}

export function windowCases(open: () => Promise<WindowWorld>): void {
  it('two windows store under two names', async () => {
    await using world = await open()
    const [first, second] = [await world.window(), await world.window()]
    for (const window of [first, second, first])
      await call(window, 'store_fact', { schema: 'note', data: { text: 'seen' } })
    const { records } = (await world.run('kstar:query_facts', { orderBy: 'created_at' })) as {
      records: { agent: string }[]
    }
    const [one, two, again] = records.map(({ agent }) => agent)
    expect(one).not.toBe(two)
    expect([again, two]).toEqual([one, expect.stringMatching(/^(test|editor)(-|$)/)])
  })

  it('Alice and Bob remember, talk and sleep as themselves', async () => {
    await using world = await open()
    const [alice, bob] = [await world.window(), await world.window()]
    const { session_id: session } = await call(alice, 'katra_register', { name: 'Alice' })
    // Not as Alice, who is the only persona awake, but in another window.
    expect((await callTool(bob.client, 'katra_learn', { knowledge: 'Trains are late' })).text).toContain(
      'E_NOT_INITIALIZED',
    )
    await call(bob, 'katra_register', { name: 'Bob' })
    await call(alice, 'katra_learn', { knowledge: 'Cranes are oiled on Mondays' })
    await call(bob, 'katra_learn', { knowledge: 'Trains are late on Fridays' })
    expect(await call(alice, 'katra_whoami')).toMatchObject({ name: 'Alice', session_id: session })
    expect(await call(bob, 'katra_whoami')).toMatchObject({ name: 'Bob', session_id: expect.any(String) })
    expect(contents(await call(alice, 'katra_recent'))).toEqual(['Cranes are oiled on Mondays'])
    expect(contents(await call(bob, 'katra_recent'))).toEqual(['Trains are late on Fridays'])
    await call(alice, 'katra_say', { message: 'Good night' })
    expect(await call(bob, 'katra_hear')).toMatchObject({ speaker_name: 'Alice', content: 'Good night' })
    expect(await call(alice, 'katra_hear')).toMatchObject({ message_number: null })
    expect((await callTool(alice.client, 'katra_register', { name: 'Eve' })).text).toContain(
      'E_ALREADY_INITIALIZED',
    )
    expect(await call(alice, 'katra_session_end')).toMatchObject({ session_id: session })
    expect(await call(bob, 'katra_whoami')).toMatchObject({ name: 'Bob', session_id: expect.any(String) })
    expect(await sessionsOf(world, 'Alice')).toEqual([['ended', 'request']])
    await bob.end()
    expect(await sessionsOf(world, 'Bob')).toEqual([['ended', 'request']])
  })

  it('two windows are one persona in two sessions, and none locks the other', async () => {
    await using world = await open()
    const [first, second] = [await world.window(), await world.window()]
    const one = await call(first, 'katra_register', { name: 'Ada' })
    const two = await call(second, 'katra_register', { name: 'Ada' })
    expect([two['ci_id'], two['session_id']]).toEqual([one['ci_id'], expect.any(String)])
    expect(two['session_id']).not.toBe(one['session_id'])
    expect(two['also_in']).toEqual([one['session_id']])
    await call(second, 'katra_learn', { knowledge: 'Cranes are oiled on Mondays' })
    expect(contents(await call(first, 'katra_recent'))).toEqual(['Cranes are oiled on Mondays'])
    await first.end()
    expect(await call(second, 'katra_whoami')).toMatchObject({ session_id: two['session_id'] })
    await call(second, 'katra_say', { message: 'Still here' })
    expect(await call(second, 'katra_session_end')).toMatchObject({ session_id: two['session_id'] })
    const third = await world.window()
    expect(await call(third, 'katra_register', { name: 'Ada' })).toMatchObject({
      session_id: expect.any(String),
      also_in: [],
    })
  })
}
