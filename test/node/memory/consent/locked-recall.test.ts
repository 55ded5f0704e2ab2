// Recall in a book whose sealed memories are locked.
import { afterEach, expect, it } from 'vitest'
import { openNodeVault } from '../../../../src/hosts/node/key/vault-file.ts'
import { createTestTime } from '../../../support/test-engine.ts'
import { closeSites, openSite } from '../conversation/site.ts'

afterEach(closeSites)

it('recall counts locked memories, and no locked proposals', async () => {
  const { book } = openSite(createTestTime().ports, { vault: openNodeVault(undefined) })
  const passphrase = 'correct horse battery staple'
  await book.seal.unlock({ passphrase })
  const health = { category: 'a2p:health.medication' } as const
  await book.memories.store({ ...health, content: 'Takes insulin before breakfast' })
  await book.with({ agent: 'helper' }).proposals.propose({ ...health, content: 'Is allergic to nuts' })
  await book.seal.lock()
  expect((await book.recall({ text: 'breakfast' })).sealed).toBe(1)
})
