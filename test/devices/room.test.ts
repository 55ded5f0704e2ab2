// Two profiles of a real browser and a caller over HTTP in one meeting room, at a real edge: all hear each other, also after one
// of them was away for a while.
import type { Page } from 'playwright'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { askMirror, type Device, newBook, openDevice } from './open-device.ts'

let a: Device
let b: Device
beforeAll(async () => {
  ;[a, b] = await Promise.all([openDevice([], true), openDevice([], true)])
})
afterAll(() => Promise.all([a, b].map((device) => device[Symbol.asyncDispose]())))

const manual = { triggers: 'manual', live: true } as const
const placeOf = (page: Page) => page.evaluate(async () => (await globalThis.book?.room.status())?.at)
const say = (page: Page, as: string, text: string) =>
  page.evaluate(async (said) => (await globalThis.book?.room.say(said))?.number, { as, text })
const hearAll = (page: Page, as: string, last = 0) =>
  page.evaluate(async (asked) => globalThis.book?.room.hearAll(asked), { as, last })
const textsOf = async (page: Page, as: string, last = 0) =>
  ((await hearAll(page, as, last))?.messages ?? []).map(({ number, text }) => `${number} ${text}`)
const hereIn = async (page: Page) =>
  page.evaluate(async () =>
    ((await globalThis.book?.room.whoIsHere())?.participants ?? []).map(({ id }) => id),
  )

it('two devices and a caller over HTTP hear each other in order, and one that was away is told what it lost', async () => {
  const book = newBook()
  const [pageA, pageB] = await Promise.all([a.open(book, manual), b.open(book, manual)])
  for (const page of [pageA, pageB]) await expect.poll(() => placeOf(page)).toBe('mirror')
  expect(await say(pageA, 'ada', 'Shall we begin?')).toBe(1)
  expect(await say(pageB, 'bob', 'Yes.')).toBe(2)
  expect(await askMirror(book, 'room:say', { as: 'http', text: 'I am here too.' })).toMatchObject({
    number: 3,
  })
  const all = ['1 Shall we begin?', '2 Yes.', '3 I am here too.']
  for (const page of [pageA, pageB]) await expect.poll(() => textsOf(page, 'eve')).toEqual(all)
  await expect.poll(() => hereIn(pageB)).toEqual(expect.arrayContaining(['ada', 'bob', 'http', 'eve']))
  expect((await askMirror(book, 'room:hear_all', { as: 'late' }))['messages']).toMatchObject(
    all.map((text) => ({ text: text.slice(2) })),
  )

  // A has no connection: it goes on by itself, and so do the others.
  a.network.set('cut')
  await a.context.setOffline(true)
  await expect.poll(() => placeOf(pageA)).toBe('device')
  const alone = await say(pageA, 'ada', 'Is anybody there?')
  expect(alone).toBe(4)
  for (let n = 1; n <= 120; n++) await askMirror(book, 'room:say', { as: 'http', text: `Meanwhile ${n}` })
  a.network.set('whole')
  await a.context.setOffline(false)
  await expect.poll(() => placeOf(pageA)).toBe('mirror')
  const heard = await hearAll(pageA, 'eve', 3)
  expect(heard?.messagesLost).toBe(true)
  // What was said without a line has a number of the mirror's now, and says which it had.
  await expect
    .poll(async () => (await hearAll(pageB, 'bob', 3))?.messages.find(({ from }) => from === 'ada'))
    .toMatchObject({ text: 'Is anybody there?', was: alone, number: 124 })
  await expect.poll(() => textsOf(pageA, 'eve', 122)).toEqual(await textsOf(pageB, 'eve', 122))
})

it('what was said is in no table of a device, in no bundle and in no history', async () => {
  const book = newBook()
  const page = await a.open(book, manual)
  await expect.poll(() => placeOf(page)).toBe('mirror')
  const sentence = 'the heron stands in the reeds'
  await say(page, 'ada', sentence)
  const bundle = await page.evaluate(async () => {
    const stream = await globalThis.book?.export()
    return stream ? new Response(stream as BodyInit).text() : ''
  })
  expect(bundle.length).toBeGreaterThan(0)
  expect(bundle).not.toContain(sentence)
  // Nor in any file of the browser's own storage.
  const found = await page.evaluate(async (words) => {
    const files: string[] = []
    const look = async (folder: FileSystemDirectoryHandle, path: string): Promise<void> => {
      for await (const [name, handle] of folder as unknown as AsyncIterable<[string, FileSystemHandle]>) {
        if (handle.kind === 'directory') await look(handle as FileSystemDirectoryHandle, `${path}/${name}`)
        else {
          const text = await (await (handle as FileSystemFileHandle).getFile()).text()
          if (text.includes(words)) files.push(`${path}/${name}`)
        }
      }
    }
    await globalThis.book?.close()
    await look(await navigator.storage.getDirectory(), '')
    return files
  }, sentence)
  expect(found).toEqual([])
})
