// The meeting room at a mirror that is a Durable Object: it goes on where it was when the object was thrown away.
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { mirrorRoomCases } from '../../contract/mirror/line/mirror-room.ts'
import { openRoomLine, person, usualSize } from '../../contract/mirror/line/room-line.ts'
import { edgeLines } from './edge-lines.ts'
import { newBook, run } from '../http/http.ts'

mirrorRoomCases(edgeLines)

const open = (book: string, device: string) => openRoomLine(edgeLines, book, device)
const evict = (book: string) => evictDurableObject(env.MIRROR.getByName(book), { webSockets: 'hibernate' })
const rowOf = (book: string) =>
  runInDurableObject(env.MIRROR.getByName(book), (_object, { storage }) => {
    const [row] = storage.sql
      .exec<{ bytes: number; state: number }>(
        'SELECT length(bytes) AS bytes, length(state) AS state FROM meeting',
      )
      .toArray()
    return row
  })

describe('a room whose object is thrown away', () => {
  it('goes on in the middle of talk: no number twice, nothing lost, the same order for all', async () => {
    const book = newBook()
    const [one, two] = [await open(book, 'd_one'), await open(book, 'd_two')]
    await one.come(['ada'])
    await two.come(['bob'])
    for (let n = 1; n <= 12; n += 3) {
      await one.say('ada', `ada ${n}`)
      await evict(book)
      await run(book, 'room:say', { as: 'http', text: `http ${n + 1}` })
      await evict(book)
      await two.say('bob', `bob ${n + 2}`)
    }
    await Promise.all(
      [one, two].map((line) => line.until((event) => event.type === 'said' && event.message.number === 12)),
    )
    expect(one.said()).toEqual(two.said())
    expect(one.said().map((text) => text.split(' ')[0])).toEqual(
      Array.from({ length: 12 }, (_, i) => `${i + 1}`),
    )
    await evict(book)
    const heard = await run<{ messages: object[]; messagesLost: boolean }>(book, 'room:hear_all', {
      as: 'late',
    })
    expect([heard.messages.length, heard.messagesLost]).toEqual([12, false])
  })

  it('keeps one row of one size, whatever is said, and none when nobody is there', async () => {
    const book = newBook()
    const one = await open(book, 'd_one')
    await one.come(['ada'])
    await one.say('ada', 'first')
    const before = await rowOf(book)
    expect(before?.bytes).toBe(143_288)
    const messages = (from: number) =>
      Array.from({ length: 100 }, (_, i) => ({
        key: (from + i).toString(16).padStart(32, 'f'),
        id: 'ada',
        name: 'ada',
        text: `message ${from + i} ${'x'.repeat(300)}`,
      }))
    for (let from = 0; from < 10_000; from += 100)
      expect((await one.ask({ do: 'say', size: usualSize, messages: messages(from) })).refused).toEqual([])
    const after = await rowOf(book)
    expect(after?.bytes).toBe(before?.bytes)
    // Numbers in it have more digits.
    expect((after?.state ?? 0) - (before?.state ?? 0)).toBeLessThan(20)
    await one.ask({ do: 'leave', id: 'ada' })
    expect(await rowOf(book)).toBeUndefined()
  })

  it('ends who was silent for five minutes, on a line and over HTTP, and lets stay whose line lives', async () => {
    const book = newBook()
    const stub = env.MIRROR.getByName(book)
    const [one, two] = [await open(book, 'd_one'), await open(book, 'd_two')]
    await one.come(['ada'])
    await two.ask({ do: 'join', size: usualSize, person: person('bob') })
    await run(book, 'room:hear', { as: 'http' })
    await runInDurableObject(stub, (_object, { storage, ...state }) => {
      storage.sql.exec("UPDATE due_jobs SET at_ms = 1 WHERE job = 'room'")
      // Everybody was heard of six minutes ago, but for the line of one.
      const [row] = storage.sql.exec<{ state: string }>('SELECT state FROM meeting').toArray()
      const saved = JSON.parse(row?.state ?? '') as { people: [object, [string, number][]][] }
      const people = saved.people.map(([who, places]) => [
        who,
        places.map(([place, at]) => [place, at - 330_000]),
      ])
      storage.sql.exec(
        'UPDATE meeting SET stamp = ?, state = ?',
        'changed',
        JSON.stringify({ ...saved, people }),
      )
      void state
    })
    await runInDurableObject(stub, (_object, state) => {
      for (const socket of state.getWebSockets('d_two'))
        socket.serializeAttachment({ ...(socket.deserializeAttachment() as object), openedMs: 1 })
    })
    expect(await runDurableObjectAlarm(stub)).toBe(true)
    await one.until((event) => event.type === 'left' && event.id === 'bob')
    const { participants } = await run<{ participants: { id: string }[] }>(book, 'room:who_is_here')
    expect(participants.map(({ id }) => id)).toEqual(['ada'])
  })

  it('has nothing of what was said in any table once the room is empty, and nowhere else while it is not', async () => {
    const book = newBook()
    const one = await open(book, 'd_one')
    const sentence = 'the heron stands in the reeds'
    await one.come(['ada'])
    await one.say('ada', sentence)
    await run(book, 'room:say', { as: 'http', text: sentence })
    const tablesWith = () =>
      runInDurableObject(env.MIRROR.getByName(book), (_object, { storage: { sql } }) => {
        const tables = sql
          .exec<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table'")
          .toArray()
        return tables
          .map(({ name }) => name)
          .filter((name) => {
            if (name.startsWith('_cf')) return false
            const rows = sql.exec(`SELECT * FROM "${name}"`).toArray()
            return rows.some((row) =>
              Object.values(row).some((value) => {
                const text = value instanceof ArrayBuffer ? new TextDecoder().decode(value) : String(value)
                return text.includes(sentence)
              }),
            )
          })
      })
    expect(await tablesWith()).toEqual(['meeting'])
    await one.ask({ do: 'leave', id: 'ada' })
    await run(book, 'room:leave', { as: 'http' })
    expect(await tablesWith()).toEqual([])
  })
})
