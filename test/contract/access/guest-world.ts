// A book at an edge, its owner, and whoever has a key to it: what they say over HTTP, by verbs and as devices.
import { expect } from 'vitest'
import type { RouteHost } from './route-isolation.ts'

export type GuestHost = Pick<RouteHost, 'key' | 'ask'>

export interface Result {
  readonly s: string
  readonly ver?: number
  readonly seq?: number
  readonly error?: { readonly code: string; readonly message: string; readonly details: { path?: string } }
}
interface Change {
  readonly id: string
  readonly kind: string
  readonly op: string
  readonly agent: string
  readonly seq: number
  readonly sensitivity?: string
  readonly body?: Record<string, unknown>
  readonly enc?: object
}
interface Synced {
  readonly results: readonly Result[]
  readonly changes: readonly Change[]
  readonly digest?: { readonly n: number; readonly x: string }
}

const at = '2026-01-01T00:00:00.000Z'
export const sealed = {
  alg: 'A256GCM',
  kid: `k_${'0'.repeat(16)}`,
  v: 1,
  n: 'A'.repeat(16),
  ct: 'A'.repeat(24),
}

export const trace = (goal = 'g') => ({
  timestamp: at,
  situation: {
    domain: 'd',
    context: {},
  },
  task: {
    goal,
    constraints: [],
  },
  action: {
    type: 'a',
    parameters: {},
    tools_used: [],
  },
  metadata: {
    mode: 'interactive',
    tags: [],
    linked_traces: [],
  },
})

let serial = 0

export function openGuestWorld(host: GuestHost) {
  const book = `guest-route-${++serial}`
  const asWhom = async (key: string, agent = 'tester') => {
    let mid = 0
    const device = `d_${key.replaceAll(/[^A-Za-z0-9]/g, '').slice(0, 40)}`
    const run = async (id: string, input: unknown = {}, headers?: Record<string, string>) => {
      const path = `/v1/books/${book}/capabilities/${id}`
      return host.ask(path, { key, body: input, ...(headers ? { headers } : {}) })
    }
    const done = async <Output>(id: string, input?: unknown): Promise<Output> => {
      const { status, text } = await run(id, input)
      expect([id, status, text]).toEqual([id, 200, text])
      return JSON.parse(text) as Output
    }
    const sync = async (ops: readonly object[], pull: object = {}, schema = 1): Promise<Synced> => {
      const body = {
        p: 1,
        device,
        epoch: null,
        ackedMid: 0,
        schema,
        ops: ops.map((op) => ({
          mid: ++mid,
          op: 'put',
          base: 0,
          stamp: `019b00000000-0000-${device}`,
          at,
          agent,
          ...((
            op as {
              op?: string
            }
          ).op === 'forget'
            ? {}
            : { created_at: at }),
          ...op,
        })),
        pull: {
          cursor: 0,
          limit: 1e3,
          maxBytes: 1e6,
          ...pull,
        },
      }
      const { status, text } = await host.ask(`/v1/books/${book}/sync`, { key, body })
      expect([status, text]).toEqual([200, text])
      return JSON.parse(text) as Synced
    }
    /** Calls a tool over MCP, as a host of models does; answers all that is said then. */
    const callTool = async (name: string, input: object): Promise<string> => {
      const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: input } }
      const headers = { accept: 'application/json, text/event-stream' }
      const { status, text } = await host.ask(`/v1/books/${book}/mcp?tools=recall,records,kstar`, {
        key,
        body,
        headers,
      })
      expect([name, status, text]).toEqual([name, 200, text])
      return text
    }
    return { run, done, sync, callTool }
  }
  return {
    owner: () => asWhom(host.key),
    /** Who has a key of that name, and writes in it. */
    async guest({
      name = 'sensor',
      ...input
    }: {
      readonly name?: string
      readonly [option: string]: unknown
    }) {
      const made = await (
        await asWhom(host.key)
      ).done<{ key: string }>('daybook:create_access_key', {
        name,
        ...input,
      })
      return asWhom(made.key, name)
    },
    /** Every record of the book, as a device of the owner that has nothing would get it. */
    async records() {
      const { changes } = await (await asWhom(host.key)).sync([])
      return new Map(changes.map((change) => [change.id, change]))
    },
  }
}
