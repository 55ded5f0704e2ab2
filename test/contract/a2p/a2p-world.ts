// A host that answers the a2p protocol, with books and agents for its tests. Agents speak as outsiders do.
import { expect } from 'vitest'
import { defined } from '../../../src/core/defined.ts'
import { A2pAgent, type A2pAnswer, bearerClient, type Fetch } from './a2p-client.ts'

export interface A2pHost {
  /** The key of the whole edge. */
  readonly key: string
  readonly base: string
  /** The origin that it is known as, where that is not `base`. */
  readonly audience?: string
  readonly fetch: Fetch
  /** Another process of the same host, where there are several. */
  readonly other?: string
}

export interface A2pBook {
  readonly name: string
  readonly did: string
  /** The user, by the key of the edge. */
  readonly user: ReturnType<typeof bearerClient>
  /** An agent that the user has registered. */
  agent(name?: string): Promise<A2pAgent>
  /** An agent that nobody has. */
  stranger(name?: string): Promise<A2pAgent>
  /** Runs a verb of the book as its owner. */
  run<Output = Record<string, unknown>>(id: string, input?: object): Promise<Output>
  /** What stands in the log of access about an agent, newest first: capability and outcome. */
  log(agent?: string): Promise<readonly string[]>
}

let serial = 0
const start = Date.now().toString(36)

export function createA2pWorld(host: A2pHost) {
  return function newBook(): A2pBook {
    const { key, base, fetch } = host
    const name = `a2p-${start}-${++serial}`
    const did = `did:a2p:user:local:${name}`
    const user = bearerClient(key, base, fetch)
    const run = async <Output>(id: string, input: object = {}) => {
      const answer = await fetch(`${base}/v1/books/${name}/capabilities/${id}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify(input),
      })
      const text = await answer.text()
      if (answer.status !== 200) throw new Error(`${id}: ${answer.status} ${text}`)
      return JSON.parse(text) as Output
    }
    const stranger = (agent = 'assistant') =>
      A2pAgent.make(`did:a2p:agent:local:${agent}`, base, fetch, host.audience)
    return {
      name,
      did,
      user,
      stranger,
      run,
      async agent(called = 'assistant') {
        const made = await stranger(called)
        await run('a2p:register_agent', { did: made.did, publicKey: made.publicKey })
        return made
      },
      async log(agent) {
        const input = defined({ agent })
        const { entries } = await run<{ entries: { capability: string; outcome: string }[] }>(
          'access:log',
          input,
        )
        return entries.map(({ capability, outcome }) => `${capability} ${outcome}`)
      },
    }
  }
}

/** Holds an answer against the one error shape of the protocol. */
export function expectRefused(answer: A2pAnswer, status: number, code: string, path?: string): void {
  expect([answer.status, answer.body.error?.code, answer.body.success]).toEqual([status, code, false])
  expect(answer.body.error).toMatchObject({ message: expect.stringMatching(/\S/) as string })
  if (path !== undefined) expect(answer.body.error.details).toMatchObject({ path })
  expectEnvelope(answer)
}

/** What every answer has, also those of errors. */
export function expectEnvelope({ status, headers, body }: A2pAnswer): void {
  expect(body.meta['requestId']).toBe(headers.get('x-request-id'))
  expect(body.meta['timestamp']).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  expect(headers.get('content-type')).toMatch(/^application\/json/)
  expect(headers.get('a2p-version')).toBe('0.1.0')
  expect(headers.get('a2p-version-supported')).toContain('0.1.0')
  for (const name of ['limit', 'remaining', 'reset'])
    expect(headers.get(`x-ratelimit-${name}`)).toMatch(/^\d+$/)
  expect(headers.get('x-content-type-options')).toBe('nosniff')
  if (status === 401) expect(headers.get('www-authenticate')).toMatch(/^A2P-Signature/)
}

/** What the protocol's own example proposes. */
export const example = {
  content: 'User prefers detailed explanations',
  category: 'a2p:preferences.communication',
  memory_type: 'procedural',
  confidence: 0.85,
  context: 'Based on follow-up questions in conversation',
}

/** A book whose policies let every agent read preferences and propose. */
export async function openReadable(newBook: () => A2pBook) {
  const book = newBook()
  await book.run('consent:set_policy', {
    forAgents: 'did:a2p:agent:*',
    allow: ['a2p:preferences'],
    deny: ['a2p:health'],
    permissions: ['read_scoped', 'propose'],
  })
  return { book, agent: await book.agent() }
}
