// `create-key`, `list-keys` and `revoke-key` as processes, against a server that answers as an edge does.
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ended, startDaybook } from '../command-line.ts'

const asked: { url: string; key: string; input: unknown }[] = []
const answers: { status: number; body: unknown }[] = []

async function textOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const part of request.setEncoding('utf8')) text += String(part)
  return text
}

const server = createServer((request, response) => {
  void textOf(request).then((text) => {
    asked.push({ url: request.url ?? '', key: request.headers.authorization ?? '', input: JSON.parse(text) })
    const { status, body } = answers.shift() ?? { status: 200, body: null }
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
})
let edge = ''
beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  edge = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => void server.close())
beforeEach(() => void (asked.length = answers.length = 0))

function daybook(args: readonly string[], key = 'master') {
  const { DAYBOOK_KEY: _, ...env } = process.env
  return ended(startDaybook(args, { env: { ...env, ...(key === '' ? {} : { DAYBOOK_KEY: key }) } }))
}
const place = () => ['--edge', edge, '--book', 'tutor']

describe('keys at an edge', { timeout: 170_000 }, () => {
  it('makes one, and prints it alone', async () => {
    answers.push({ status: 200, body: { id: 'access_key::x', key: 'dbk1.x.y' } })
    const flags = ['--permissions', 'sync,read', '--push', 'trace', '--expires', '2099-01-01', ...place()]
    expect(await daybook(['create-key', 'my', 'sensor', ...flags])).toMatchObject({
      code: 0,
      stdout: 'dbk1.x.y\n',
    })
    expect(asked).toEqual([
      {
        url: '/v1/books/tutor/capabilities/daybook:create_access_key',
        key: 'Bearer master',
        input: {
          name: 'my sensor',
          permissions: ['sync', 'read'],
          push: ['trace'],
          expires_at: '2099-01-01',
        },
      },
    ])
  })

  it('lists and ends them', async () => {
    const key = {
      id: 'access_key::x',
      state: 'active',
      name: 'n',
      owner: false,
      permissions: ['read'],
      scope: '**',
    }
    answers.push({ status: 200, body: { keys: [key] } })
    expect((await daybook(['list-keys', ...place()])).stdout).toBe('access_key::x  active  read in **  n\n')
    answers.push(
      { status: 200, body: { revoked: true, revoked_at: 'T' } },
      { status: 200, body: { revoked: false } },
    )
    expect(await daybook(['revoke-key', 'access_key::x', ...place()])).toMatchObject({
      code: 0,
      stdout: 'access_key::x ended at T.\n',
    })
    expect((await daybook(['revoke-key', 'access_key::y', ...place()])).code).toBe(1)
  })

  it('says what the edge refuses, and what it needs', async () => {
    const body = { code: 'unauthorized', message: 'The key is not known.', retry: false, details: {} }
    answers.push({ status: 401, body })
    const refused = await daybook(['list-keys', ...place()])
    expect(refused).toMatchObject({ code: 1, stderr: 'unauthorized: The key is not known.\n' })
    answers.push({ status: 502, body: 'gateway' })
    expect((await daybook(['list-keys', ...place()])).stderr).toMatch(/protocol-error.*502/)
    const none = ['--edge', 'http://127.0.0.1:9', '--book', 'tutor']
    expect((await daybook(['list-keys', ...none])).stderr).toMatch(/^offline/)
    for (const [args, key, word] of [
      [['list-keys'], 'k', /--edge and --book/],
      [['list-keys', ...place()], '', /^DAYBOOK_KEY is not set: it is the key of the edge\.\n/],
      [['list-keys', ...place()], 'a b', /^`DAYBOOK_KEY`: Must consist of [^\n]*-\.\nSee/],
      [['list-keys', '--edge', 'http://example.org', '--book', 'x'], 'k', /https/],
      [['create-key', ...place()], 'k', /takes a name/],
    ] as const) {
      expect(await daybook(args, key)).toMatchObject({
        code: 2,
        stderr: expect.stringMatching(word) as string,
      })
    }
  })
})
