// What the tests of the specification's rules share: a put, a forget and a request of a client, and what became of them.
import { expect } from 'vitest'
import { createHttpMirror, type HttpMirror } from './http-mirror.ts'

export const at = '2026-01-31T14:00:00.000Z'
export const stamp = (name = 'd_one', ms = Date.parse(at)) =>
  `${ms.toString(16).padStart(12, '0')}-0000-${name}`
export const said = (content: string) => ({ content, timestamp: at })

/** A put of a message, with what a test lays over it. */
export const put = (mid: number, over: object = {}) => ({
  mid,
  op: 'put',
  kind: 'message',
  id: 'msg-1',
  base: 0,
  stamp: stamp(),
  at,
  agent: 'tester',
  created_at: at,
  v: 1,
  body: said('first'),
  ...over,
})
export const forget = (mid: number, over: object = {}) => {
  const { created_at: _created, v: _v, body: _body, ...op } = put(mid)
  return { ...op, op: 'forget', ...over }
}
export const request = (ops: readonly object[], over: object = {}) => ({
  p: 1,
  device: 'd_one',
  epoch: null,
  ackedMid: 0,
  schema: 0,
  ops,
  pull: { cursor: 0, limit: 1000, maxBytes: 1_000_000 },
  ...over,
})

export interface Result {
  readonly mid: number
  readonly s: string
  readonly ver?: number
  readonly seq?: number
  readonly policy?: string
  readonly current?: {
    readonly op: string
    readonly ver: number
    readonly seq: number
    readonly body?: object
  }
  readonly error?: { readonly code: string }
}

/** What became of ops, shortly: `ok`, `ok merge`, `conflict merge`, `too-large`. */
export const short = ({ s, policy, error }: Result) =>
  error?.code ?? (policy === undefined ? s : `${s} ${policy}`)

export async function send(mirror: HttpMirror, ops: readonly object[], over: object = {}) {
  const { status, body } = await mirror.post(request(ops, over))
  expect([status, body]).toEqual([200, body])
  return body as unknown as {
    results: Result[]
    changes: { id: string; body?: object; stamp: string }[]
    lastMid: number
    cursor: number
    mark: string
    epoch: string
    digest: { n: number; x: string }
    ranges?: { seq: number; n: number; x: string }[]
    floor: number
  }
}
export const outcome = async (mirror: HttpMirror, op: object, over: object = {}) =>
  short((await send(mirror, [op], over)).results[0] as Result)
export const logged = (mirror: HttpMirror) =>
  mirror
    .store()
    .conflicts.list({})
    .map(({ loser }) => (loser.body as { content?: string } | undefined)?.content ?? loser.op)

/** A mirror on which `msg-1` of another device stands at version 2. */
export async function withOther(over: object = {}): Promise<HttpMirror> {
  const mirror = createHttpMirror()
  await send(mirror, [put(1, { ...over, id: 'msg-1' })], { device: 'd_other' })
  await send(mirror, [put(2, { base: 1, stamp: stamp('d_other'), body: said('theirs'), ...over })], {
    device: 'd_other',
  })
  return mirror
}
