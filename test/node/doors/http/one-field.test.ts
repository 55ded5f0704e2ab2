// Requests with one field changed, to the app of every edge in this process; `npm run soak:properties` draws more, with other seeds.
import { afterAll } from 'vitest'
import { oneFieldCases } from '../../../contract/door/one-field-case.ts'
import { createNodeEdge } from '../../../support/server/node-edge.ts'
import { propertySeed } from '../../../property/draw-from-seed.ts'

const edge = createNodeEdge()
afterAll(() => edge.close())

let serial = 0
oneFieldCases({
  count: Number(process.env['DAYBOOK_FIELDS'] ?? 200),
  seed: propertySeed,
  newBook: () => `one-field-${++serial}`,
  async ask(path, { key, ...init }) {
    const response = await edge.fetch(path, { method: 'POST', ...init }, key)
    return { status: response.status, text: await response.text() }
  },
})
