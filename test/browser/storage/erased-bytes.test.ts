// What is purged or sealed in a page is in no byte of the book's files on OPFS, also when an older bundle is imported then.
import { expect, it } from 'vitest'
import { openDaybook } from '../../../src/index.ts'
import { readBookFile, readBookFiles } from './book-file.ts'

const run = crypto.randomUUID().slice(0, 8)

it.each(['', 'and so on '.repeat(3000)])(
  'nothing of a purged or sealed text is in the file (%#)',
  async (more) => {
    const name = `erased-${run}-${more.length}`
    const book = await openDaybook({ name })
    const store = (content: string) => book.perceptions.store({ content: `${content} ${more}` })
    const { id: purged } = await store('The zanzibarish password')
    const { id: sealed } = await store('A quokkaberry diagnosis')
    for (let i = 0; i < 40; i++) await store(`Something else, number ${i}`)
    for (const id of [purged, sealed]) {
      const { content } = (await book.records.get({ id })) as unknown as { content: string }
      await book.perceptions.update({ id, updates: { content: `${content} and changed` } })
    }
    expect((await book.recall({ text: 'zanzibarish quokkaberry' })).hits).toHaveLength(2)
    await book.records.purge({ id: purged })
    await book.records.setSensitivity({ id: sealed, sensitivity: 'sensitive' })
    expect(await book.records.get({ id: sealed })).toMatchObject({ sensitivity: 'sensitive' })
    await book.close()
    const written = new TextDecoder('latin1').decode(await readBookFile(name)).toLowerCase()
    expect(written).toContain('something else, number 7')
    expect(written).not.toContain('zanzibar')
    expect(written).not.toContain('quokkaberr')
  },
)

it.each([
  ['merge', ''],
  ['replace', 'and so on '.repeat(3000)],
] as const)('nothing of it comes with an older bundle (%s, %#)', async (mode, more) => {
  const name = `late-${run}-${mode}`
  const book = await openDaybook({ name, checkpoint: true })
  for (let i = 0; i < 40; i++) await book.perceptions.store({ content: `Something else, number ${i}` })
  const { id } = await book.perceptions.store({ content: `The zanzibarish password ${more}` })
  const older = await new Response(await book.export()).text()
  await expect.poll(async () => (await book.status()).checkpointAt, { timeout: 30_000 }).toBeDefined()
  expect(await readBookFiles(name)).toContain('zanzibarish')
  await book.records.purge({ id })
  const { bundle } = await book.import(older, { mode })
  expect(bundle).toMatchObject({ conflicts: [{ id, winner: 'book', forgotten: true }] })
  await book.close()
  const written = (await readBookFiles(name)).toLowerCase()
  expect(written).toContain('something else, number 7')
  expect(written).not.toContain('zanzibar')
})

it.each(['', 'and so on '.repeat(3000)])(
  'an older bundle leaves in clear nothing of what was sealed since (%#)',
  async (more) => {
    const name = `late-sealed-${run}-${more.length}`
    const book = await openDaybook({ name, checkpoint: true })
    for (let i = 0; i < 40; i++) await book.perceptions.store({ content: `Something else, number ${i}` })
    const { id } = await book.perceptions.store({ content: `A quokkaberry diagnosis ${more}` })
    const { id: forgotten } = await book.perceptions.store({ content: `The zanzibarish password ${more}` })
    const older = await new Response(await book.export()).text()
    await book.records.forget({ id: forgotten })
    await book.records.setSensitivity({ id, sensitivity: 'restricted' })
    await book.import(older)
    expect(await book.records.get({ id })).toMatchObject({ sensitivity: 'restricted' })
    await book.close()
    const written = (await readBookFiles(name)).toLowerCase()
    expect(written).toContain('something else, number 7')
    expect(written).not.toContain('quokkaberr')
    expect(written).not.toContain('zanzibar')
  },
)
