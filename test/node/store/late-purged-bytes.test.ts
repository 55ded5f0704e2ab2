// What was purged does not come back into the files: an older edit of a device that was offline, sent afterwards, and an import
// of an older bundle are read byte by byte, in every file of every copy.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { createEngine, type Engine } from '../../../src/engine/engine.ts'
import { openBookFile } from '../../../src/hosts/node/book/book-file.ts'
import { openDaybook } from '../../../src/hosts/node/index.ts'
import { createMirror } from '../../../src/sync/mirror/mirror.ts'
import { createTestTime } from '../../support/test-engine.ts'

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
  return { engine, mirror: createMirror({ store: engine.store, ...time.ports }) }
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
    expect(bundle).toMatchObject({ conflicts: [{ id, kept: 'book', forgotten: true }] })
    expect(await book.records.get({ id })).toBeNull()
    expect(inFiles(name, ['zanzibar'])).toEqual([])
    expect(inFiles(name, ['something else, number 7'])).not.toEqual([])
    await book.close()
    expect(inFiles(name, ['zanzibar'])).toEqual([])
  },
)
