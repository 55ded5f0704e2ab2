// The time range of an export.
import { afterAll, expect, it } from 'vitest'
import { openDaybook } from '../../../src/hosts/node/index.ts'

const book = await openDaybook({ name: 'range', path: ':memory:', timeZone: 'America/New_York' })
afterAll(() => book.close())

it.each([
  ['2026-02-01', '2026-01-31'],
  ['2026-02-01T06:00:00Z', '2026-01-31'],
])('refuses an export whose `from` %s is later than its `to` %s', async (from, to) => {
  const reading = book.export({ from, to }).then((stream) => new Response(stream).text())
  await expect(reading).rejects.toMatchObject({
    code: 'invalid-input',
    message: expect.stringContaining('`from` is later than `to`'),
    details: { path: 'from' },
  })
})

it('exports a single day', async () => {
  const bundle = await new Response(await book.export({ from: '2026-02-01', to: '2026-02-01' })).text()
  expect(JSON.parse(bundle)).toMatchObject({ format: 'kstar-bundle' })
})
