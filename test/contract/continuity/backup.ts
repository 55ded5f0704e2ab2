// Backups of a persona: verified when they are made, restored as they were, and no more of them than are kept.
import { describe, expect, it } from 'vitest'
import type { Daybook } from '../../../src/book/daybook.ts'
import { type BookCase, failure } from '../book-case.ts'

/** Resolves when no part of a backup waits to be written anew. */
async function writtenAnew(book: Daybook): Promise<void> {
  const count = async (includeOutdated: boolean) =>
    (await book.records.query({ kind: 'backup_part', includeOutdated, limit: 100 })).records.length
  let next = Promise.withResolvers<void>()
  const off = book.on('task', ({ capability, state }) => {
    if (capability === 'katra:rebuild_backup' && state === 'done') next.resolve()
  })
  while ((await count(true)) !== (await count(false))) {
    await next.promise
    next = Promise.withResolvers<void>()
  }
  off()
}

export function backupCases({ book: open }: BookCase, keepsKeys: boolean): void {
  describe('a backup', () => {
    it('has all that is a persona’s and nothing of others, and brings back what was lost', async () => {
      const book = await open()
      const alice = book.with((await book.personas.register({ name: 'Alice' })).scope)
      const bob = book.with((await book.personas.register({ name: 'Bob' })).scope)
      const { id } = await alice.thoughts.learn({ knowledge: 'Casey likes tea.' })
      await alice.thoughts.mark({ memoryId: id, collection: 'People/Casey' })
      await bob.thoughts.learn({ knowledge: 'Bob was here.' })
      const made = await alice.backups.make()
      // The persona, what it learned, and the mark of that.
      expect(made).toMatchObject({ name: 'Alice', records: 3, removed: 0 })
      expect((await alice.backups.list()).backups).toMatchObject([{ id: made.id, checksum: made.checksum }])
      expect((await bob.backups.list()).backups).toEqual([])

      await alice.thoughts.mark({ memoryId: id, collection: null })
      const { id: later } = await alice.thoughts.learn({ knowledge: 'Written since.' })
      const dry = await book.backups.restore({ id: made.id, dryRun: true })
      expect(dry).toMatchObject({ dryRun: true, records: 3 })
      const restored = await book.backups.restore({ id: made.id })
      expect(restored).toMatchObject({ dryRun: false, records: 3 })
      const kept = (await alice.thoughts.recent()).records.map((one) => one.id)
      expect(new Set(kept)).toEqual(new Set([id, later]))
    })

    it('says before it is restored which records differ, and what becomes of each', async () => {
      const book = await open()
      const alice = book.with((await book.personas.register({ name: 'Alice' })).scope)
      const learn = async (content: string) => (await alice.perceptions.store({ content })).id
      const [changed, gone] = [await learn('Casey likes tea.'), await learn('Casey likes jazz.')]
      const made = await alice.backups.make()
      expect((await book.backups.restore({ id: made.id, dryRun: true })).differences).toEqual([])

      await alice.perceptions.update({ id: changed, updates: { content: 'Casey likes coffee.' } })
      await book.records.purge({ id: gone })
      const differences = [{ id: changed, kind: 'perception', change: 'changed', isRestored: false }]
      expect(await book.backups.restore({ id: made.id, dryRun: true })).toMatchObject({ differences })
      expect(await book.backups.restore({ id: made.id })).toMatchObject({ differences })
      expect(await book.records.get({ id: gone })).toBeNull()
    })

    it('of nobody, of another persona, and of what is no backup are refused', async () => {
      const book = await open()
      expect((await failure(book.backups.make())).details['reason']).toBe('not-initialized')
      expect((await failure(book.backups.make({ persona: 'Nobody' }))).code).toBe('not-found')
      const alice = book.with((await book.personas.register({ name: 'Alice' })).scope)
      await book.personas.register({ name: 'Bob' })
      expect((await failure(alice.backups.make({ persona: 'Bob' }))).code).toBe('forbidden')
      expect((await failure(book.backups.restore({ id: 'no-such' }))).code).toBe('not-found')
      const { id } = await alice.thoughts.learn({ knowledge: 'No backup.' })
      expect((await failure(book.backups.restore({ id }))).code).toBe('not-found')
      expect((await book.backups.list({ persona: 'Bob' })).backups).toEqual([])
    })

    it('is one of thirty: the thirty-first takes out the oldest, with its parts, and no other persona’s', async () => {
      const book = await open()
      const alice = book.with((await book.personas.register({ name: 'Alice' })).scope)
      const bob = book.with((await book.personas.register({ name: 'Bob' })).scope)
      const other = await bob.backups.make()
      const made: { id: string; madeAt: string; removed: number }[] = []
      for (let n = 1; n <= 31; n += 1) {
        await alice.thoughts.learn({ knowledge: `Lesson ${n}.` })
        made.push(await alice.backups.make())
      }
      expect(made.map(({ removed }) => removed)).toEqual([...Array.from({ length: 30 }, () => 0), 1])
      const { backups } = await alice.backups.list()
      const gone = made.filter(({ id }) => backups.every((one) => one.id !== id))
      expect([backups.length, gone.length]).toEqual([30, 1])
      expect(backups.every(({ madeAt }) => madeAt >= (gone[0]?.madeAt ?? ''))).toBe(true)
      expect((await failure(book.backups.restore({ id: gone[0]?.id ?? '' }))).code).toBe('not-found')
      expect((await bob.backups.list()).backups.map(({ id }) => id)).toEqual([other.id])
      const parts = (await book.records.query({ kind: 'backup_part', limit: 100 })).records
      const whole = new Set([other.id, ...backups.map(({ id }) => id)])
      expect(new Set(parts.map(({ backup }) => backup))).toEqual(whole)
      const [newest] = backups
      // The persona and thirty-one lessons.
      expect(await book.backups.restore({ id: newest?.id ?? '', dryRun: true })).toMatchObject({
        records: 32,
        unchanged: 32,
      })
    })

    it('is whole although another is made meanwhile', async () => {
      const book = await open()
      const alice = book.with((await book.personas.register({ name: 'Alice' })).scope)
      const value = { text: 'y'.repeat(120_000) }
      for (const key of ['a', 'b', 'c', 'd'])
        await alice.documents.write({ changes: [{ folder: 'n/', key, value }] })
      const parts = async () => (await book.records.query({ kind: 'backup_part', limit: 100 })).records.length
      const first = alice.backups.make()
      while ((await parts()) === 0) await new Promise((resolve) => setTimeout(resolve, 0))
      const made = [await alice.backups.make(), await first]
      for (const { id, records } of made)
        expect(await book.backups.restore({ id, dryRun: true })).toMatchObject({ unchanged: records })
    })

    it('that misses a part is not restored, and nothing of it is', async () => {
      const book = await open()
      const alice = book.with((await book.personas.register({ name: 'Alice' })).scope)
      await alice.thoughts.learn({ knowledge: 'x'.repeat(16_000) })
      const { id } = await alice.backups.make()
      const { records } = await book.records.query({ kind: 'backup_part' })
      await book.records.purge({ id: records[0]?.id ?? '' })
      expect(await failure(book.backups.restore({ id }))).toMatchObject({
        code: 'backup-failed',
        details: { part: 0 },
      })
    })

    it.each(['forget', 'purge'] as const)(
      'has nothing of what was removed after it was made, nor of what quotes it: %s',
      async (how) => {
        const book = await open()
        const alice = book.with((await book.personas.register({ name: 'Alice' })).scope)
        const said = (id: string, content: string) => ({ id, content, source: { type: 'User', id: 'ann' } })
        const messages = [said('m-1', 'The wall needs bricks.'), said('m-2', 'The doctor found diabetes.')]
        const { results } = await alice.conversation.storeMany({ session: 's', messages })
        await alice.conversation.archive({ session: 's' })
        const { id: kept } = await alice.thoughts.learn({ knowledge: 'Casey likes tea.' })
        const large = `Walnuts ${'x'.repeat(15_000)}`
        const { id: other } = await alice.thoughts.learn({ knowledge: large })
        const { id } = await alice.backups.make()
        const parts = async () =>
          (await book.records.query({ kind: 'backup_part', includeOutdated: true })).records
        expect(JSON.stringify(await parts())).toMatch(/diabetes.*Walnuts|Walnuts.*diabetes/s)
        await book.records[how]({ id: results[1]?.id ?? '' })
        await book.records[how]({ id: other })
        // At once out of every list, and written anew by itself.
        expect(JSON.stringify((await book.records.query({ kind: 'backup_part' })).records)).not.toContain(
          'diabetes',
        )
        await writtenAnew(book)
        const now = await book.records.query({ kind: 'backup_part' })
        expect(now.records.length).toBe((await parts()).length)
        expect(JSON.stringify(now)).toContain('Casey likes tea')
        expect(JSON.stringify(now)).not.toMatch(/diabetes|Walnuts/)
        for (const part of now.records) {
          const { versions } = await book.records.history({ id: part.id })
          expect(JSON.stringify(versions)).not.toMatch(/diabetes|Walnuts/)
        }
        await book.records.forget({ id: kept })
        const restored = await book.backups.restore({ id })
        expect(restored.forgotten + restored.unchanged + restored.imported).toBeGreaterThan(0)
        const text = (await book.bundles.export({})).text
        expect(text).not.toMatch(/diabetes|Walnuts|Casey likes tea/)
      },
    )

    it('of a record that is larger than a part is in pieces, and goes with it', async () => {
      const book = await open()
      const alice = book.with((await book.personas.register({ name: 'Alice' })).scope)
      const value = { text: `begin ${'y'.repeat(450_000)} end` }
      const { written } = await alice.documents.write({ changes: [{ folder: 'notes/', key: 'long', value }] })
      const document = written[0]?.id ?? ''
      const { id } = await alice.backups.make()
      const parts = async () => (await book.records.query({ kind: 'backup_part', limit: 100 })).records
      expect((await parts()).filter((part) => part['piece'] !== undefined).length).toBeGreaterThan(2)
      expect(await book.backups.restore({ id, dryRun: true })).toMatchObject({ records: 2, unchanged: 2 })
      await book.records.purge({ id: document })
      const all = (await book.records.query({ kind: 'backup_part', limit: 100, includeOutdated: true }))
        .records
      for (const part of all) await book.backups.rebuild({ id: part.id })
      expect(JSON.stringify(await parts())).not.toContain('yyyy')
      expect(await book.backups.restore({ id, dryRun: true })).toMatchObject({ unchanged: 1 })
    })

    if (keepsKeys) sealedCase({ book: open })
  })
}

function sealedCase({ book: open }: Pick<BookCase, 'book'>): void {
  it('of sealed records is sealed itself', async () => {
    const book = await open({ passphrase: 'correct horse battery staple' })
    const alice = book.with((await book.personas.register({ name: 'Alice' })).scope)
    const { id: plain } = await alice.thoughts.learn({ knowledge: 'Likes tea.' })
    const clear = await alice.backups.make()
    await alice.records.setSensitivity({ id: plain, sensitivity: 'sensitive' })
    const sealedParts = (await book.records.query({ kind: 'backup_part' })).records
    expect(sealedParts.map((part) => part.sensitivity)).toEqual(['sensitive'])
    await book.backups.restore({ id: clear.id })
    expect(await book.records.get({ id: plain })).toMatchObject({ sensitivity: 'sensitive' })
    await alice.records.forget({ id: plain })
    await alice.thoughts.learn({ knowledge: 'My diagnosis is private.', sensitivity: 'sensitive' })
    const { id } = await alice.backups.make()
    expect(await book.records.get({ id })).toMatchObject({ sensitivity: 'sensitive' })
    expect(await book.backups.restore({ id })).toMatchObject({ records: 2, unchanged: 2 })
  })
}
