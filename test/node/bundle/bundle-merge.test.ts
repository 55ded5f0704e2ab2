// The import of a bundle that has decisions of another book.
import { expect, it } from 'vitest'
import { openDaybook } from '../../../src/hosts/node/index.ts'

const open = () => openDaybook({ name: 'bundle-merge', path: ':memory:', agent: 'a' })

it('counts a decision as lowered only if the record is stored without it', async () => {
  await using from = await open()
  await from.with({ agent: 'did:a2p:agent:local:x' }).proposals.propose({
    id: 'prop_elsewhere',
    content: 'Prefers tea',
    category: 'a2p:preferences',
  })
  await from.proposals.review({ id: 'prop_elsewhere', action: 'approve' })
  const text = await new Response(await from.export()).text()
  await using book = await open()
  expect((await book.import(text)).bundle).toMatchObject({ imported: 2, lowered: 2 })
  const { bundle: again } = await book.import(text)
  expect(again).toMatchObject({ imported: 0, updated: 0, unchanged: 2 })
  expect(again?.lowered).toBeUndefined()
})
