// Requests that are right but for one field, through every door over HTTP, of the owner and of a guest: no answer is a fault of
// Daybook's own, every refusal of an input says where, and afterwards the book can be read, exported, imported and synced.
import type { z } from 'zod'
import { beforeAll, describe, expect, it } from 'vitest'
import { capabilityTable, kinds } from '../../../src/engine/capability-table.ts'
import { parseSyncResponse } from '../../../src/sync/wire/protocol.ts'
import { createDice } from '../../support/dice.ts'
import { checkErrorShape } from './mutation.ts'
import { capability, drawsOf, type FieldAsk, gone, opOf, pick, syncOf, type World } from './one-field-draw.ts'
import { type Example, type KindExample, kindExamples, verbExamples } from './right-example.ts'

export interface FieldHost {
  /** So many requests to each door, or to all in one book, as the owner and as a guest. */
  readonly count: number
  readonly seed: number
  /** All doors in one book, where each book takes its time. */
  readonly isMixed?: boolean
  newBook(): string
  /** A POST, unless it says another method. */
  ask(path: string, ask: FieldAsk): Promise<{ readonly status: number; readonly text: string }>
}

const guestRights = ['read', 'write', 'forget', 'export', 'sync', 'inbox:send']
/** A book lets nobody ask much more than this in one go. */
const perBook = 300

/** Throws for an answer that is a fault of Daybook's own, or that refuses an input and does not say where. */
function checkAnswer(path: string, { status, text }: { status: number; text: string }): void {
  if (text === '' && status < 300) return
  const said = JSON.parse(/^data: ([^\n]*)$/m.exec(text)?.[1] ?? text) as Record<string, unknown> | null
  const body = said ?? {}
  if (path.startsWith('/a2p/')) {
    const { error } = body as { error?: { code: string } }
    if (status >= 500 || (status >= 400 && !/^A2P\d{3}$/.test(error?.code ?? '')))
      throw new Error(text.slice(0, 500))
    return
  }
  if ('jsonrpc' in body) {
    const { result, error } = body as {
      result?: { isError?: boolean; content?: { text: string }[] }
      error?: { code: number }
    }
    if (status >= 500 || error?.code === -32_603) throw new Error(text.slice(0, 500))
    if (result?.isError) checkRefusal(JSON.parse(result.content?.[0]?.text ?? '') as object)
    return
  }
  const { results } = body as { results?: { error?: object }[] }
  for (const { error } of results ?? []) if (error) checkRefusal(error)
  if (status >= 400) checkRefusal(body, status)
}

function checkRefusal(error: object, status?: number): void {
  const { code, message, retry, details } = error as Record<string, unknown>
  checkErrorShape({ code, message, retry, details }, status)
  const { path } = details as { path?: unknown }
  const saysWhere = typeof path === 'string' || !['invalid-input', 'invalid-filter'].includes(String(code))
  if (!saysWhere) throw new Error(`It does not say where: ${JSON.stringify(error)}`)
}

const readers = capabilityTable
  .filter(({ effect, input }) => effect === 'read' && (input as z.ZodType).safeParse({}).success)
  .map(({ id }) => id)

export function oneFieldCases({ count, seed, isMixed = false, newBook, ask }: FieldHost): void {
  let verbs: readonly Example[] = []
  let bodies: readonly KindExample[] = []
  beforeAll(async () => {
    verbs = await verbExamples()
    bodies = await kindExamples()
  })

  const run = async (book: string, id: string, input: object) => {
    const { status, text } = await ask(capability(book, id), { body: JSON.stringify(input) })
    expect([id, status, text.slice(0, 500)]).toEqual([id, 200, text.slice(0, 500)])
    return JSON.parse(text) as Record<string, unknown>
  }
  /** A book with a record of each kind, one that was purged, and a guest who may do what a guest may. */
  const open = async (isGuest: boolean): Promise<World> => {
    const book = newBook()
    const ops = bodies.map(({ kind, id, body }) => opOf(kind, id, body))
    const { text } = await ask(`/v1/books/${book}/sync`, { body: JSON.stringify(syncOf('d_owner', ops)) })
    const { results } = JSON.parse(text) as { results: { s: string }[] }
    expect(results.map(({ s }) => s)).toEqual(bodies.map(() => 'ok'))
    await run(book, 'kstar:store_fact', { id: gone, schema: 's', data: {} })
    await run(book, 'kstar:purge', { id: gone })
    const key =
      isGuest && (await run(book, 'daybook:create_access_key', { name: 'guest', permissions: guestRights }))
    return {
      book,
      key: key ? String(key['key']) : undefined,
      ids: new Map(bodies.map(({ kind: { name }, id }) => [name, id])),
    }
  }

  const checkBook = async (book: string) => {
    for (const id of readers) {
      const answer = await ask(capability(book, id), { body: '{}' })
      if (answer.status !== 200) checkAnswer('', answer)
    }
    for (const kind of kinds.keys()) await run(book, 'kstar:query_memory', { kind, limit: 1000 })
    await run(book, 'daybook:recall', { text: 'text x nope', limit: 50 })
    await checkBundle(book)
    await checkPull(book)
  }
  const checkBundle = async (book: string) => {
    let text = ''
    let page = await run(book, 'bundle:export', { includeTokens: true, includeSensitive: true })
    for (;;) {
      text += String(page['text'])
      if (page['cursor'] === undefined) break
      page = await run(book, 'bundle:export', { cursor: page['cursor'] })
    }
    const other = newBook()
    let cursor: unknown
    const size = 200_000
    for (let from = 0; from < text.length; from += size) {
      const more = from + size < text.length
      const first = cursor === undefined ? { includeTokens: true } : { cursor }
      ;({ cursor } = await run(other, 'bundle:import', {
        text: text.slice(from, from + size),
        more,
        ...first,
      }))
    }
  }
  const checkPull = async (book: string) => {
    let [cursor, epoch]: [number, string | null] = [0, null]
    for (;;) {
      const body = JSON.stringify(syncOf('d_later', [], cursor, epoch))
      const { status, text } = await ask(`/v1/books/${book}/sync`, { body })
      expect([status, text.slice(0, 500)]).toEqual([200, text.slice(0, 500)])
      const said = parseSyncResponse(JSON.parse(text))
      ;({ cursor, epoch } = said)
      if (!said.more) return
    }
  }

  describe.each(['the owner', 'a guest'])('of %s, with one field changed', (who) => {
    const names = Object.keys(drawsOf([], []))
    const groups: Readonly<Record<string, readonly string[]>> = isMixed
      ? { 'every door': names }
      : Object.fromEntries(names.map((name) => [name, [name]]))
    it.each(Object.keys(groups))(
      '%s: no fault, a place in each refusal, and the book works on',
      async (name) => {
        const doors = groups[name] ?? []
        const draws = drawsOf(verbs, bodies)
        const dice = createDice(seed)
        for (let left = count, serial = 0; left > 0; left -= perBook) {
          const world = await open(who === 'a guest')
          for (let n = Math.min(left, perBook); n > 0; n--) {
            const door = pick(doors, dice)
            const { path, what, ...asked } = draws[door]?.(world, dice, ++serial) ?? { path: '', what: '' }
            const answer = await ask(path, { key: world.key, ...asked })
            try {
              checkAnswer(path, answer)
            } catch (error) {
              throw new Error(`${door}, ${what}: ${String(error)}`, { cause: error })
            }
          }
          await checkBook(world.book)
        }
      },
    )
  })
}
