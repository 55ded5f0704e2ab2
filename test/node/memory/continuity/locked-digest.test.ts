// Consolidation while digests, weeks and patterns are sealed under a key that is locked here.
import { afterEach, expect, it } from 'vitest'
import { openNodeVault } from '../../../../src/hosts/node/key/vault-file.ts'
import { dayMs } from '../../../../src/core/zone.ts'
import { createTestTime } from '../../../support/test-engine.ts'
import { closeSites, openSite } from '../conversation/site.ts'

afterEach(closeSites)

const passphrase = 'correct horse battery staple'

/** A persona whose first day, week and pattern are sealed, and a clear day for each of the next `days` days. */
async function openLocked(days: number) {
  const { ports, pass } = createTestTime()
  const { book } = openSite(ports, { vault: openNodeVault(undefined) })
  await book.seal.unlock({ passphrase })
  const alice = book.with((await book.personas.register({ name: 'Alice' })).scope)
  const secret = await alice.conversation.store({
    message: { content: 'The granite is for Bob, who has diabetes.' },
    sensitivity: 'sensitive',
  })
  for (let day = 0; day < days; day += 1) {
    await alice.thoughts.learn({ knowledge: day === 0 ? 'It rains' : 'Buy granite' })
    await pass(dayMs)
  }
  return { book, alice, pass, secret }
}

it('writes readable days while a week and a pattern are sealed, and replaces none of these', async () => {
  const { book, alice, pass } = await openLocked(4)
  await pass(7 * dayMs)
  await alice.days.consolidate()
  const sealed = async () => {
    const { records } = await book.seal.list({})
    return records.map(({ kind, id }) => `${kind} ${id}`).toSorted()
  }
  const before = await sealed()
  const kinds = before.map((text) => text.split(' ')[0])
  expect(kinds).toEqual(expect.arrayContaining(['digest', 'digest', 'message', 'pattern']))
  await book.seal.lock()
  for (let day = 0; day < 4; day += 1) {
    await alice.thoughts.learn({ knowledge: 'Granite and marble' })
    await pass(dayMs)
  }
  const count = kinds.filter((kind) => kind !== 'message').length
  const planned = await alice.days.consolidate({ dryRun: true })
  expect(planned).toMatchObject({ sealed: count, patterns: [] })
  const done = await alice.days.consolidate()
  expect(done).toMatchObject({ sealed: count })
  // The dry run can't know the week of days that it doesn't write.
  expect(planned.digests).toHaveLength(4)
  expect(done.digests).toHaveLength(5)
  expect(done.patterns).toEqual(['pattern::name::Alice::topic::marble'])
  expect(await alice.days.consolidate()).toMatchObject({ digests: [], patterns: [], sealed: count })
  expect(await sealed()).toEqual(before)

  await book.seal.unlock({ passphrase })
  const open = await alice.days.consolidate()
  expect(open.sealed).toBeUndefined()
  expect(open.patterns).toContain('pattern::name::Alice::topic::granite')
})

it('writes other days while a day is sealed whose sensitive record was forgotten', async () => {
  const { book, alice, pass, secret } = await openLocked(1)
  await alice.days.consolidate()
  await book.seal.lock()
  await book.records.forget({ id: secret.id ?? '' })
  await pass(2 * dayMs)
  await alice.thoughts.learn({ knowledge: 'Buy marble' })
  await pass(7 * 3_600_000)
  const { digests } = await alice.days.consolidate()
  expect(digests).toHaveLength(1)
  expect((await book.sessions.upkeep()).consolidated).toEqual([])
  await book.seal.unlock({ passphrase })
  await alice.days.consolidate()
  expect((await alice.days.list({})).digests).toMatchObject([{ raw: 1 }, { raw: 1 }])
})

it('ends a session on a day whose digest is sealed', async () => {
  const { book, alice } = await openLocked(0)
  const started = await alice.sessions.start()
  await alice.days.sundown()
  await book.seal.lock()
  const ended = await book.with(started.scope).sessions.end()
  expect(ended).toMatchObject({ session: started.session, state: 'ended' })
  expect(ended.digests).toEqual([expect.stringMatching(/^digest::/)])
})
