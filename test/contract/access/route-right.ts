// What an access key may do over HTTP: every verb, and every other route of a book, asks for the right that is listed here.
import { expect, it } from 'vitest'
import { errorTable } from '../../../src/core/errors.ts'
import { rights } from '../../../src/core/access/permission.ts'
import { routeCases, type RouteHost } from './route-isolation.ts'
import { letIn } from './verb-place.ts'
import { everyPermission, rightsBut, verbRights, verbs } from './verb-right.ts'

/** The verb whose right a route needs; `owner`: an owner's key. */
const routeVerbs: Readonly<Record<string, keyof typeof verbRights | 'owner'>> = {
  'POST /v1/books/:book/sync': 'daybook:sync',
  'POST /v1/books/:book/inbox': 'inbox:send',
  'POST /v1/books/:book/live': 'daybook:sync',
  'POST /v1/books/:book/embed': 'owner',
}
/** A capability's path names its verb, a tool of MCP and a message are some; a ticket is the right to a line. */
const byItself = [
  'POST /v1/books/:book/capabilities/:id',
  'POST /v1/books/:book/mcp',
  'DELETE /v1/books/:book/mcp',
  'POST /v1/books/:book/messages',
  'GET /v1/books/:book/live',
]

/** Input that no verb takes: nobody is told so who may not ask. */
const wrong = { '': 0 }

let serial = 0

export function routeRightCases(host: RouteHost): void {
  const newBook = () => `right-${++serial}`
  const makeKey = async (book: string, all: readonly string[]) => {
    // Keys delegate nothing, and are not made with that right.
    const permissions = all.filter((right) => right !== 'delegation')
    const body = { name: 'guest', permissions, scope: '**' }
    const path = `/v1/books/${book}/capabilities/daybook:create_access_key`
    const { status, text } = await host.ask(path, { key: host.key, body })
    expect(status).toBe(200)
    return (JSON.parse(text) as { key: string }).key
  }
  const codeOf = async (path: string, key: string, body: unknown) => {
    const { status, text } = await host.ask(path, { key, body })
    return [path, status, (JSON.parse(text) as { code?: string }).code]
  }
  const forbidden = (path: string) => [path, 403, 'forbidden']

  it('refuses a key for each verb that it has not the right for, and every key of a guest what is the owner’s', async () => {
    const book = newBook()
    const everything = await makeKey(book, everyPermission)
    const lacking = new Map<string, string>()
    for (const right of [...rights, 'owner'] as const)
      lacking.set(right, await makeKey(book, rightsBut(right)))
    for (const [id, right] of verbs) {
      const path = `/v1/books/${book}/capabilities/${id}`
      expect(await codeOf(path, lacking.get(right) ?? '', wrong)).toEqual(forbidden(path))
      const code = letIn(id, { role: 'mirror', signs: false })
      const answered = [path, errorTable[code].status, code]
      expect(await codeOf(path, everything, wrong)).toEqual(right === 'owner' ? forbidden(path) : answered)
    }
  })

  it('lets in nobody whose key has ended or was revoked, nor anybody without one: no verb, no route', async () => {
    const book = newBook()
    const make = async (over: object) => {
      const path = `/v1/books/${book}/capabilities/daybook:create_access_key`
      const { text } = await host.ask(path, { key: host.key, body: { name: 'gone', owner: true, ...over } })
      return JSON.parse(text) as { id: string; key: string }
    }
    const revoked = await make({})
    const ended = await make({ expires_at: new Date(Date.now() + 500).toISOString() })
    const revoking = `/v1/books/${book}/capabilities/daybook:revoke_access_key`
    const over = await host.ask(revoking, { key: host.key, body: { id: revoked.id } })
    expect(JSON.parse(over.text)).toMatchObject({ revoked: true })
    const routes = Object.entries(routeCases).flatMap(([route, { ofBook, protocol }]) =>
      ofBook && protocol === undefined && route.startsWith('POST /v1/') ? [ofBook(book, 'gone')] : [],
    )
    const ofVerbs = verbs.map(([id]) => ({
      path: `/v1/books/${book}/capabilities/${id}`,
      body: {},
      headers: {},
    }))
    const first = `/v1/books/${book}/capabilities/daybook:status`
    await expect.poll(async () => (await host.ask(first, { key: ended.key, body: {} })).status).toBe(401)
    for (const key of [null, revoked.key, ended.key])
      for (const { path, body, headers = {} } of [...routes, ...ofVerbs]) {
        const { status, text } = await host.ask(path, { key, body, headers })
        expect([path, status, (JSON.parse(text) as { code?: string }).code]).toEqual([
          path,
          401,
          'unauthorized',
        ])
      }
    const { text } = await host.ask(first, { key: host.key, body: {} })
    expect(JSON.parse(text)).toMatchObject({ records: { access_key: 2 } })
  })

  it('asks on its other routes for the right of the verb that they stand for', async () => {
    const ofBooks = Object.entries(routeCases).flatMap(([route, { ofBook }]) =>
      ofBook && route.includes('/:book/') ? [route] : [],
    )
    expect(ofBooks.toSorted()).toEqual([...Object.keys(routeVerbs), ...byItself].toSorted())
    for (const [route, verb] of Object.entries(routeVerbs)) {
      const book = newBook()
      const { path, body } = routeCases[route]?.ofBook?.(book, 'mark') ?? { path: '', body: {} }
      const right = verb === 'owner' ? 'owner' : verbRights[verb]
      expect(await codeOf(path, await makeKey(book, rightsBut(right)), body)).toEqual(forbidden(path))
      const everything = await codeOf(path, await makeKey(book, everyPermission), body)
      if (right === 'owner') expect(everything).toEqual(forbidden(path))
      else expect([200, 201]).toContain(everything[1])
    }
  })
}
