// What was purged does not come back into the files: an older edit of a device that was offline, sent afterwards, and an import
// of an older bundle are read byte by byte, in every file of every copy.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { createEngine, type Engine } from '../../../src/engine/engine.ts'
import { openBookFile } from '../../../src/hosts/node/book/book-file.ts'
import { openNodeDatabase } from '../../../src/hosts/node/book/node-database.ts'
import { openDaybook } from '../../../src/hosts/node/index.ts'
import { openNodeVault } from '../../../src/hosts/node/key/vault-file.ts'
import { SyncMirror } from '../../../src/sync/mirror/mirror.ts'
import { createTestTime } from '../../support/test-engine.ts'
import { openSite } from '../memory/conversation/site.ts'

const folder = mkdtempSync(join(tmpdir(), 'daybook-late-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** The words of `words` that stand in files of the book `name`, in UTF-8. */
function inFiles(name: string, words: readonly string[]): string[] {
  const files = readdirSync(folder).filter((file) => file.startsWith(`${name}.`))
  expect(files.length).toBeGreaterThan(0)
  return files.flatMap((file) => {
    const text = readFileSync(join(folder, file)).toString('latin1').toLowerCase()
    return words.filter((word) => text.includes(word)).map((word) => `${file}: ${word}`)
  })
}

const later = ['zanzibar', 'quokkaberry', 'xylophonic']
const time = createTestTime()

function openMirror(name: string) {
  const path = join(folder, `${name}.daybook`)
  const engine = openBookFile({ path }, ({ db }) =>
    createEngine({
      db,
      ports: time.ports,
      name: 'b',
      scope: { agent: 'edge' },
      durability: 'file',
      role: 'mirror',
    }),
  )
  return { engine, mirror: new SyncMirror({ store: engine.store, ...time.ports }) }
}

function openDevice(name: string, { mirror }: Pick<ReturnType<typeof openMirror>, 'mirror'>): Engine {
  return openBookFile({ path: join(folder, `${name}.daybook`) }, ({ db, check, storage, checkpointFile }) =>
    createEngine({
      db,
      storage,
      care: { check },
      ports: time.ports,
      name: 'b',
      scope: { agent: 'a' },
      durability: 'file',
      checkpointFile: { file: checkpointFile, isWanted: true },
      sync: { triggers: 'manual' },
      carrier: {
        exchange: async (request) =>
          JSON.parse((await mirror.exchange(JSON.stringify(request))).text) as unknown,
      },
    }),
  )
}

const fill = async (engine: Engine, what: string) => {
  for (let i = 0; i < 60; i++)
    await engine.call('kstar:store_perception', { content: `Something else of ${what}, number ${i}` })
}
const sync = (engine: Engine) => engine.call('daybook:sync', undefined)

it.each([
  ['older', 'short', ''],
  ['later', 'short', ''],
  ['older', 'long', 'and so on '.repeat(3000)],
  ['later', 'long', 'and so on '.repeat(3000)],
])(
  'an edit (%s, %s) that an offline device sends after a purge leaves no word in any file',
  async (when, size, more) => {
    const name = (what: string) => `${what}-${when}-${size}`
    const mirror = openMirror(name('mirror'))
    const [phone, laptop, third] = ['phone', 'laptop', 'third'].map((what) => openDevice(name(what), mirror))
    if (!phone || !laptop || !third) throw new Error('There are three.')
    await fill(phone, 'the phone')
    const content = `The zanzibarish first text ${more}`
    await phone.call('kstar:store_perception', { id: 'p', content })
    for (const device of [phone, laptop, third]) await sync(device)
    const edit = async () => {
      await laptop.call('kstar:update_perception', {
        id: 'p',
        updates: { content: `A quokkaberry edit ${more}` },
      })
      // It is in its index and its checkpoint too.
      expect(await laptop.call('daybook:recall', { text: 'quokkaberry' })).toMatchObject({
        hits: [{ record: { id: 'p' } }],
      })
      await fill(laptop, 'the laptop')
      await time.pass(60_000)
    }
    if (when === 'older') await edit()
    await time.pass(60_000)
    await phone.call('kstar:purge', { id: 'p' })
    await sync(phone)
    await time.pass(60_000)
    if (when === 'later') await edit()
    expect(inFiles(name('laptop'), ['quokkaberry'])).not.toEqual([])
    for (const device of [laptop, third, phone, laptop]) await sync(device)
    await time.pass(120_000)
    const words = ['zanzibar', 'quokkaberry']
    const all = ['mirror', 'phone', 'laptop', 'third'].map(name)
    expect(all.flatMap((one) => inFiles(one, words))).toEqual([])
    // Files of open books say what is there.
    for (const one of all) expect(inFiles(one, ['something else of the laptop, number 7'])).not.toEqual([])
    for (const device of [phone, laptop, third, mirror.engine]) device.close()
    expect(all.flatMap((one) => inFiles(one, words))).toEqual([])
  },
)

it.each(['phone', 'mirror'] as const)(
  'a proposal that is purged (%s) while an offline device approves it with changes leaves no word in any file',
  async (where) => {
    const name = (what: string) => `proposal-${where}-${what}`
    const { engine, mirror } = openMirror(name('mirror'))
    const [phone, laptop, third] = ['phone', 'laptop', 'third'].map((what) =>
      openDevice(name(what), { mirror }),
    )
    if (!phone || !laptop || !third) throw new Error('There are three.')
    await fill(phone, 'the phone')
    const proposed = {
      content: 'The zanzibarish first text',
      context: 'because of a quokkaberry',
      category: 'a2p:interests',
    }
    const { id } = (await phone.call('a2p:propose', proposed, { scope: { agent: 'helper' } })) as {
      id: string
    }
    for (const device of [phone, laptop, third]) await sync(device)
    await { phone, mirror: engine }[where].call('kstar:purge', { id })
    await sync(phone)
    await time.pass(60_000)
    await laptop.call('a2p:review', { id, action: 'edit', edited: { content: 'Likes something else' } })
    await fill(laptop, 'the laptop')
    await time.pass(60_000)
    expect(inFiles(name('laptop'), later)).not.toEqual([])
    for (const device of [laptop, third, phone, laptop]) await sync(device)
    await time.pass(120_000)
    const all = ['mirror', 'phone', 'laptop', 'third'].map(name)
    expect(all.flatMap((one) => inFiles(one, later))).toEqual([])
    for (const device of [phone, laptop, third, engine]) {
      const { memories } = (await device.call('a2p:query_memories', {})) as { memories: object[] }
      expect(memories).toMatchObject([{ content: 'Likes something else' }])
      device.close()
    }
    expect(all.flatMap((one) => inFiles(one, later))).toEqual([])
  },
)

it.each([
  ['merge', ''],
  ['replace', ''],
  ['merge', 'and so on '.repeat(3000)],
  ['replace', 'and so on '.repeat(3000)],
] as const)(
  'an import of an older bundle after a purge leaves no word of it (%s, %#)',
  async (mode, more) => {
    const name = `import-${mode}-${more.length}`
    const book = await openDaybook({
      name,
      agent: 'a',
      path: join(folder, `${name}.daybook`),
      checkpoint: true,
    })
    for (let i = 0; i < 60; i++) await book.perceptions.store({ content: `Something else, number ${i}` })
    const { id } = await book.perceptions.store({ content: `The zanzibarish first text ${more}` })
    const older = await new Response(await book.export()).text()
    await book.records.purge({ id })
    expect(inFiles(name, ['zanzibar'])).toEqual([])
    const { bundle } = await book.import(older, { mode })
    expect(bundle).toMatchObject({ conflicts: [{ id, winner: 'book', forgotten: true }] })
    expect(await book.records.get({ id })).toBeNull()
    expect(inFiles(name, ['zanzibar'])).toEqual([])
    expect(inFiles(name, ['something else, number 7'])).not.toEqual([])
    await book.close()
    expect(inFiles(name, ['zanzibar'])).toEqual([])
  },
)

const inPages = 'and so on '.repeat(1500)

/** An older bundle of a book in which something was sealed, forgotten and purged since. */
async function agedBook(name: string, more: string) {
  const path = join(folder, `${name}.daybook`)
  const vault = openNodeVault(undefined)
  const open = () => openSite(time.ports, { db: openNodeDatabase({ path }), vault })
  const { book, engine } = open()
  const say = async (id: string, content: string) => {
    const source = { type: 'User', id: 'ann', name: 'Ann' }
    const message = { id, source, content, timestamp: '2026-02-01T10:00:00Z' }
    return (await book.conversation.store({ session: 's', message })).id ?? ''
  }
  for (let i = 0; i < 60; i++) await book.perceptions.store({ content: `Something else, number ${i}` })
  const sealed = await book.perceptions.store({ content: `The zanzibarish first text ${more}` })
  const forgotten = await book.perceptions.store({ content: `The quokkaberry text ${more}` })
  const said = await say('m-1', `The xylophonic one was painted. ${more}`)
  await say('m-2', 'The other one was painted.')
  await book.conversation.archive({ session: 's' })
  const older = await new Response(await book.export()).text()
  await book.records.setSensitivity({ id: sealed.id, sensitivity: 'restricted' })
  await book.records.forget({ id: forgotten.id })
  await book.records.purge({ id: said })
  await time.pass(120_000)
  expect(inFiles(name, later)).toEqual([])
  return { book, engine, older, open }
}

it.each(['', inPages])(
  'an import of an older bundle leaves in clear nothing of what was sealed or forgotten since (%#)',
  async (more) => {
    const name = `import-later-${more.length}`
    const { book, older } = await agedBook(name, more)
    const { bundle } = await book.import(older)
    expect(bundle?.conflicts.filter(({ forgotten }) => forgotten)).toHaveLength(2)
    await book.close()
    expect(inFiles(name, later)).toEqual([])
    expect(inFiles(name, ['something else, number 7'])).not.toEqual([])
  },
)

it.each(['is cancelled', 'is wrong', 'is never ended', 'ends with the engine'] as const)(
  'an older bundle whose import %s leaves nothing of that either',
  async (how) => {
    const name = `import-${how.replaceAll(' ', '-')}`
    const { book, engine, older, open } = await agedBook(name, '')
    const piece = { text: older.slice(0, -10), more: true }
    const { cursor } = (await engine.call('bundle:import', piece)) as { cursor: string }
    expect(inFiles(name, later)).not.toEqual([])
    if (how === 'is cancelled')
      await engine.call('bundle:import', { cursor, text: '', more: true, cancel: true })
    if (how === 'is wrong')
      await expect(engine.call('bundle:import', { cursor, text: '?', more: false })).rejects.toThrow(
        /not JSON|checksum|complete|ends/,
      )
    if (how === 'is never ended') await time.pass(3_600_000)
    await time.pass(120_000)
    await book.close()
    if (how === 'ends with the engine') {
      const again = open()
      await time.pass(120_000)
      await again.book.close()
    }
    expect(inFiles(name, later)).toEqual([])
  },
)
