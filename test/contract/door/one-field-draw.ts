// Draws requests that are right but for one field, for each door over HTTP.
import type { Kind } from '../../../src/core/kind.ts'
import { a2pRoutes } from '../../../src/doors/http/a2p/a2p-app.ts'
import type { Dice } from '../../support/dice.ts'
import { drawChange } from './one-field.ts'
import { type Example, idOf, type KindExample } from './right-example.ts'
import { pathsOf, replaceAt } from './right-input.ts'

export interface FieldAsk {
  readonly method?: string
  readonly body?: string
  readonly headers?: Readonly<Record<string, string>>
  /** A key of a book; the owner's of all by default. */
  readonly key?: string | undefined
}

const at = '2026-01-01T00:00:00.000Z'
/** A record of this id was purged before anything is asked. */
export const gone = 'purged-x1'

export interface World {
  readonly book: string
  readonly key: string | undefined
  readonly ids: ReadonlyMap<string, string>
}
export type Draw = (
  world: World,
  dice: Dice,
  serial: number,
) => FieldAsk & { readonly path: string; readonly what: string }

export const opOf = (kind: Kind, id: string, body: unknown) => ({
  op: 'put',
  base: 0,
  stamp: '019b00000000-0000-d_owner',
  at,
  agent: 'guest',
  created_at: at,
  kind: kind.name,
  id,
  v: kind.version,
  session: 's',
  resource: 'r',
  sensitivity: 'standard',
  body,
})
export const syncOf = (device: string, ops: readonly object[], cursor = 0, epoch: string | null = null) => ({
  p: 1,
  device,
  epoch,
  ackedMid: 0,
  schema: 1,
  ops: ops.map((op, i) => ({ mid: i + 1, ...op })),
  pull: { cursor, limit: 1000, maxBytes: 1_000_000 },
})

/** An input whose ids are those of records, for the most part of the kind that its verb or field is about. */
function withIds({ name, input }: Example, ids: ReadonlyMap<string, string>, dice: Dice): unknown {
  const all = [...ids.values()]
  return pathsOf(input).reduce<unknown>((value, path) => {
    const field = String(path.findLast((key) => typeof key === 'string') ?? '')
    const meant = [...ids].filter(([kind]) => name.includes(kind) || field.includes(kind)).map(([, id]) => id)
    if (!/(^|_)(ids?|records?|persona|parent|supersedes|proposal|fact)$/.test(field)) return value
    const old = path.reduce<unknown>(
      (one, key) => (one as Record<string | number, unknown> | undefined)?.[key],
      value,
    )
    if (typeof old !== 'string' || dice.below(4) === 0) return value
    const from = meant.length > 0 && dice.below(4) > 0 ? meant : all
    return replaceAt(value, path, from[dice.below(from.length)])
  }, input)
}

export const capability = (book: string, id: string) =>
  `/v1/books/${book}/capabilities/${encodeURIComponent(id)}`

export const pick = <One>(all: readonly One[], dice: Dice): One => all[dice.below(all.length)] as One

export function drawsOf(
  verbs: readonly Example[],
  bodies: readonly KindExample[],
): Readonly<Record<string, Draw>> {
  const change = (right: unknown, { ids }: World, dice: Dice) =>
    drawChange(right, [...ids.values(), gone], dice)
  const posted = (path: string, { what, text }: { what: string; text: string }) => ({
    path,
    what,
    body: text,
  })
  const messageOf = (dice: Dice, world: World, n: number): object => {
    const example = pick(verbs, dice)
    const data = withIds(example, world.ids, dice)
    const inner = { capability_id: example.name, arguments: data }
    const old = { id: `m${n}`, source: { agent_id: 'probe', session_id: 's' }, metadata: { a: 1 } }
    const parts = (one: unknown) => ({
      parts: [
        { type: 'text', text: 'x' },
        { type: 'json', data: one },
      ],
      metadata: {},
    })
    const envelope = {
      spec_version: 'p3394/1.0',
      message_id: `m${n}`,
      kind: 'message',
      performative: 'request',
      sender: { agent_id: 'probe', alias: 'p' },
      traceparent: 't',
    }
    const forms = [
      {
        ...old,
        destination: { agent_id: 'm', capability_id: example.name },
        content: [{ type: 'json', data }],
      },
      { ...old, destination: 'p3394://m', content: [{ type: 'tool_call', data: inner }] },
      { ...envelope, recipients: [{ agent_id: 'm', capability_id: example.name }], payload: parts(data) },
      { ...envelope, recipients: [{ agent_id: 'm' }], payload: parts(inner), idempotency_key: `k${n}` },
    ]
    return pick(forms, dice)
  }
  return {
    'the verbs and their look-alikes': (world, dice) => {
      const example = pick(verbs, dice)
      const changed = change(withIds(example, world.ids, dice), world, dice)
      return {
        ...posted(capability(world.book, example.name), changed),
        what: `${example.name} ${changed.what}`,
      }
    },
    'messages of P3394': (world, dice, n) =>
      posted(`/v1/books/${world.book}/messages`, change(messageOf(dice, world, n), world, dice)),
    'tools of MCP': (world, dice, n) => {
      const { name, input } = pick(verbs, dice)
      const params = { name: name.split(':').at(-1), arguments: withIds({ name, input }, world.ids, dice) }
      const call = { jsonrpc: '2.0', id: n, method: 'tools/call', params }
      const headers = {
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2025-11-25',
      }
      return { ...posted(`/v1/books/${world.book}/mcp`, change(call, world, dice)), headers }
    },
    'routes of a2p': (world, dice) => {
      const { method, path } = pick(a2pRoutes, dice)
      const did = 'did:a2p:agent:local:helper'
      const isProfile = path.startsWith('/profile/')
      const user = `did:a2p:user:local:${world.book}`
      const right = {
        content: 'x',
        category: 'a2p:context',
        memory_type: 'semantic',
        confidence: 0.5,
        scopes: ['a2p:context'],
        purpose: { type: 'personalization', description: 'd' },
        action: 'edit',
        edited: { content: 'y' },
        reason: 'r',
        id: 'x',
        scope: ['x'],
        limit: '1',
      }
      const changed = change(right, world, dice)
      const query = dice.below(2) === 0 ? asQuery(changed.text) : ''
      const named = isProfile ? user : dice.below(2) === 0 ? did : `${did}x`
      return {
        what: `${method} ${path} ${changed.what}`,
        path: `/a2p/v1${path.replace(':did', named).replace(':id', pick([...world.ids.values(), gone], dice))}${query}`,
        method,
        ...(method === 'GET' ? {} : { body: changed.text }),
        headers: isProfile ? {} : { 'x-daybook-book': world.book },
      }
    },
    'the inbox': (world, dice, n) => {
      const right = { key: `k${n}`, text: 't', to: 'tutor', subject: 's', from: 'guest', data: { a: 1 } }
      return posted(`/v1/books/${world.book}/inbox`, change(right, world, dice))
    },
    'sync, a record of each kind': (world, dice, n) => {
      const { kind, body } = pick(bodies, dice)
      const usual = `${kind.idPrefix ?? ''}${kind.name}-${n}`
      const isHead = dice.below(4) === 0
      const said = isHead ? undefined : change(body, world, dice)
      const id = idOf(kind, said ? parsed(said.text) : body, usual)
      const op: Record<string, unknown> = opOf(kind, isId(id) ? id : usual, said ? 'BODY' : body)
      // As of a version that no mirror can check: an owner's devices hand on what they do not know (V2).
      if (said && world.key !== undefined && dice.below(3) === 0) op['v'] = pick([undefined, 0, 99], dice)
      const { what, text } = said ?? change(op, world, dice)
      const whole = said ? JSON.stringify(op).replace('"BODY"', () => text) : text
      const request = { ...syncOf(`d_f${n}`, []), schema: pick([0, 1, 100_000], dice) }
      const sent = JSON.stringify({ ...request, ops: ['OP'] }).replace('"OP"', () => withMid(whole))
      return posted(`/v1/books/${world.book}/sync`, {
        what: `${kind.name} ${what} ${String(op['v'])}`,
        text: sent,
      })
    },
  }
}

/** The text of an op with its number; of what is no object as it is. */
const withMid = (text: string) =>
  text.startsWith('{') ? `{"mid":1${text === '{}' ? '' : ','}${text.slice(1)}` : text

const isId = (id: unknown) => typeof id === 'string' && /^[A-Za-z0-9][\w.:-]{0,100}$/.test(id)

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The texts and numbers of an object as a query. */
function asQuery(text: string): string {
  const entries = Object.entries((parsed(text) ?? {}) as object)
  const sound = entries.filter(([, value]) => ['string', 'number'].includes(typeof value))
  // `URLSearchParams` takes halves of characters for something else: so does a URL.
  return `?${new URLSearchParams(sound.map(([name, value]): [string, string] => [name, String(value).slice(0, 2000)])).toString()}`
}
