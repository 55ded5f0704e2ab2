// Secrets of known form in what is stored: sealed where the book has keys, masked where it has none, and told of.
import { describe, expect, it } from 'vitest'
import type { BookEvents } from '../../src/core/capability/event.ts'
import { defined } from '../../src/core/defined.ts'
import { oneSecret } from '../support/made-secret.ts'
import { type BookCase, failure } from './book-case.ts'

const secret = oneSecret()
const mark = `[secret: github-token …${secret.slice(-4)}]`
const noted = [{ rule: 'github-token', path: 'content' }]

/** Everything that can be read of a book, in one text. */
async function everything(book: Awaited<ReturnType<BookCase['book']>>): Promise<string> {
  const { records } = await book.records.query({ limit: 1000 })
  const told = await Promise.all(records.map(({ id }) => book.records.history({ id })))
  const { hits } = await book.recall({ text: 'deploy token' })
  const { conflicts } = await book.conflicts.list()
  return JSON.stringify([records, told, hits, conflicts, await book.tasks.list({})])
}

export function secretCases(cases: BookCase, keepsKeys: boolean): void {
  describe('secrets in what is stored', () => {
    it(`are ${keepsKeys ? 'sealed' : 'masked'} unless the owner says otherwise, and listeners are told`, async () => {
      const book = await cases.book()
      const told: BookEvents['secret'][] = []
      book.on('secret', (detail) => told.push(detail))
      const { id } = await book.perceptions.store({ content: `deploy with token ${secret}`, subject: 'ci' })
      await book.perceptions.store({ content: 'deploy without any', subject: 'ci' })
      const record = await book.records.get({ id })
      expect(record).toMatchObject(
        keepsKeys
          ? { sensitivity: 'sensitive', content: `deploy with token ${secret}` }
          : { content: `deploy with token ${mark}` },
      )
      expect(record?.sensitivity === 'sensitive').toBe(keepsKeys)
      const outcome = keepsKeys ? 'sealed' : 'masked'
      await expect
        .poll(() => told)
        .toEqual([{ records: [{ id, kind: 'perception', outcome, secrets: noted }], more: 0 }])
      expect(JSON.stringify(told)).not.toContain(secret)
    })

    it('are found in the records of some ids, with their bodies as they may be shown', async () => {
      const book = await cases.book()
      const { id } = await book.perceptions.store({ content: `token ${secret}`, subject: 'ci' })
      const plain = await book.perceptions.store({ content: 'none', subject: 'ci' })
      await book.perceptions.update({ id, updates: { subject: 'cd' } })
      await book.perceptions.store({ content: `another ${secret}`, subject: 'ci' })
      const { found, scanned } = await book.records.scan({ ids: [id, plain.id, 'unknown'] })
      expect(scanned).toBe(2)
      expect(new Set(found.map((one) => one.id))).toEqual(new Set([id]))
      expect(found.map(({ version }) => version)).toEqual(keepsKeys ? [undefined, 1] : [undefined])
      for (const { masked } of found) expect(masked).toMatchObject({ content: `token ${mark}` })
      expect(found[0]?.masked).toMatchObject({ subject: 'cd' })
      expect(JSON.stringify(found)).not.toContain(secret)
    })

    it('are masked in texts of no record', async () => {
      const book = await cases.book()
      const { masked, secrets, found } = await book.records.scan({
        body: { texts: [{ question: `who has ${secret}` }, 'plain'] },
      })
      expect(masked).toEqual({ texts: [{ question: `who has ${mark}` }, 'plain'] })
      expect(secrets).toMatchObject([{ rule: 'github-token', path: 'texts.*.question', count: 1 }])
      expect(found).toEqual([])
      expect(await book.records.scan({ body: { texts: ['plain'] } })).not.toHaveProperty('masked')
    })

    it('are masked where that is wished: in records, names of fields, tasks and lost edits', async () => {
      const book = await cases.book({ secrets: 'mask' })
      const { id } = await book.perceptions.store({
        content: `deploy with token ${secret}`,
        evidence: [],
        subject: `owner of ${secret}`,
      })
      await book.facts.store({
        schema: 'note',
        data: { [secret]: [{ SecretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYzzzzzzzzzz' }] },
      })
      await book.tasks.add({
        capability: 'kstar:store_perception',
        input: { content: secret },
        delaySeconds: 600,
      })
      expect(await book.records.get({ id })).toMatchObject({
        content: `deploy with token ${mark}`,
        subject: `owner of ${mark}`,
      })
      const all = await everything(book)
      expect(all).not.toContain(secret)
      expect(all).not.toContain('wJalrXUtnFEMI')
    })

    it('are refused in a name, which is stored and sent in clear, and the error says nothing of them', async () => {
      const book = await cases.book()
      const perception = { content: 'x', subject: 'ci' }
      const named = [
        ['id', () => book.perceptions.store({ ...perception, id: `p-${secret}` })],
        ['session', () => book.with({ session: `s-${secret}` }).perceptions.store(perception)],
        ['resource', () => book.with({ resource: secret }).perceptions.store(perception)],
        ['requestId', () => book.perceptions.store(perception, { requestId: `run-${secret}` })],
        ['id', () => book.documents.write({ changes: [{ folder: 'notes/', key: secret, value: {} }] })],
        [
          'granted_to',
          () =>
            book.tokens.grant({
              granted_to: `ci-${secret}`,
              scope: '**',
              permissions: ['read'],
              expires_at: '2099-01-01T00:00:00.000Z',
            }),
        ],
        [
          'scope',
          () =>
            book.tokens.grant({
              granted_to: 'ci',
              scope: `memory:${secret}:**`,
              permissions: ['read'],
              expires_at: '2099-01-01T00:00:00.000Z',
            }),
        ],
        ['agent', () => book.with({ agent: `agent-${secret}` }).perceptions.store(perception)],
        [
          'forAgents',
          () =>
            book.consent.setPolicy({
              forAgents: `coach-${secret}`,
              allow: ['a2p:*'],
              permissions: ['read_full'],
            }),
        ],
        [
          'name',
          () =>
            book.consent.setPolicy({
              forAgents: 'coach',
              allow: ['a2p:*'],
              permissions: ['read_full'],
              name: `for ${secret}`,
            }),
        ],
      ] as const
      for (const [path, store] of named) {
        const error = await failure(store())
        expect(error).toMatchObject({ code: 'invalid-input', details: { path, reason: 'secret' } })
        expect(JSON.stringify([error.message, error.details])).not.toContain(secret)
      }
      expect((await book.records.query({})).records).toEqual([])
      const { entries } = await book.access.log()
      expect(entries.map(({ caller }) => caller)).toContain(mark)
      expect(JSON.stringify(entries)).not.toContain(secret)
    })

    it('stay where the owner only wants to hear of them, or nothing at all', async () => {
      const warned = await cases.book({ secrets: 'warn' })
      const told: BookEvents['secret'][] = []
      warned.on('secret', (detail) => told.push(detail))
      const { id } = await warned.perceptions.store({ content: secret })
      expect(await warned.records.get({ id })).toMatchObject({ content: secret })
      await expect
        .poll(() => told.flatMap(({ records }) => records.map((one) => one.outcome)))
        .toEqual(['kept'])
      const silent = await cases.book({ secrets: 'off' })
      silent.on('secret', (detail) => told.push(detail))
      await silent.perceptions.store({ content: secret })
      await silent.perceptions.store({ content: 'and another' })
      expect(told).toHaveLength(1)
    })

    it('are counted by an import, by sort, kind and place', async () => {
      const book = await cases.book({ secrets: 'mask' })
      const chat = {
        messages: [
          { role: 'user', content: `my token is ${secret}` },
          { role: 'assistant', content: `then export GH=${secret}` },
          { role: 'user', content: 'thanks' },
        ],
      }
      const { secrets } = await book.import(JSON.stringify(chat), { name: 'chat.json' })
      expect(secrets).toEqual([
        { rule: 'github-token', kind: 'message', path: 'content', outcome: 'masked', count: 2 },
      ])
      expect(await everything(book)).not.toContain(secret)
    })

    it('that a bundle brings are kept out like others, and the bundle finds its records there when it comes again', async () => {
      const from = await cases.book({ secrets: 'off' })
      await from.perceptions.store({ id: 'p-1', content: `deploy with token ${secret}` })
      const bundle = await new Response((await from.export()) as ReadableStream).text()
      for (const secrets of keepsKeys ? (['seal', 'mask'] as const) : (['mask'] as const)) {
        const to = await cases.book({ secrets })
        const tried = await to.import(bundle, { dryRun: true })
        const first = await to.import(bundle)
        const outcome = secrets === 'seal' ? 'sealed' : 'masked'
        const counts = [{ rule: 'github-token', kind: 'perception', path: 'content', outcome, count: 1 }]
        expect([tried.secrets, first.secrets, first.imported]).toEqual([counts, counts, 1])
        expect(await to.import(bundle)).toMatchObject({
          imported: 0,
          skipped: 1,
          bundle: { conflictCount: 0 },
        })
        const record = await to.records.get({ id: 'p-1' })
        expect(record?.sensitivity ?? 'standard').toBe(secrets === 'seal' ? 'sensitive' : 'standard')
        if (secrets === 'mask') expect(await everything(to)).not.toContain(secret)
      }
    })

    it('are found in a book that was there before anybody looked, in earlier versions too', async () => {
      const book = await cases.book({ secrets: 'off' })
      await book.perceptions.store({ id: 'p-1', content: secret })
      await book.perceptions.store({ id: 'p-2', content: secret })
      await book.perceptions.update({ id: 'p-2', updates: { content: 'no more' } })
      await book.perceptions.store({ id: 'p-3', content: mark })
      await book.perceptions.store({ id: 'p-4', content: 'nothing' })
      const scan = await book.records.scan()
      expect(scan).toMatchObject({ scanned: 4, locked: 0, sealed: 0 })
      expect(scan.found.toSorted((a, b) => a.id.localeCompare(b.id))).toEqual([
        { id: 'p-1', kind: 'perception', outcome: 'kept', secrets: noted },
        { id: 'p-2', kind: 'perception', version: 1, outcome: 'kept', secrets: noted },
        { id: 'p-3', kind: 'perception', outcome: 'masked', secrets: noted },
      ])
      expect(scan.secrets).toEqual([
        { rule: 'github-token', kind: 'perception', path: 'content', outcome: 'kept', count: 2 },
        { rule: 'github-token', kind: 'perception', path: 'content', outcome: 'masked', count: 1 },
      ])
      expect(JSON.stringify(scan)).not.toContain(secret)
      expect((await book.records.scan({ kinds: ['facts'] })).found).toEqual([])
      const wrong = await failure(book.records.scan({ kinds: ['perceptoin'] }))
      expect([wrong.code, wrong.details['path']]).toEqual(['invalid-input', 'kinds.0'])
    })

    it('that no mark can stand for are refused, and nothing is stored', async () => {
      const book = await cases.book({ secrets: 'mask' })
      // A mark is longer than a card number, and the text has no room left for it.
      const card = '4532 0151 1283 0366'
      const content = `${'x'.repeat(1_000_000 - card.length - 1)} ${card}`
      const error = await failure(
        book.conversation.store({ agent: 'a', message: { content, source: { type: 'user' } } as never }),
      )
      expect([error.code, error.details['path']]).toEqual(['invalid-input', 'content'])
      expect((await book.stats()).total).toBe(0)
    })
  })
}

/** Where the book has keys, or may make them. */
export function sealedSecretCases(cases: BookCase): void {
  describe('secrets where there are keys', () => {
    it('are nowhere in what was asked and why, whatever is done about records', async () => {
      for (const secrets of [undefined, 'mask'] as const) {
        const book = await cases.book(defined({ secrets }))
        await book.perceptions.store({ content: 'deploy without any', subject: 'ci' })
        const text = `deploy, password: hunter2-${secret}`
        await book.recall({ text }, { purpose: `look for ${secret}` })
        await book.context({ text })
        const { entries } = await book.activity.list()
        const told = JSON.stringify([entries, await book.access.log()])
        expect(told).toContain('[secret: ')
        expect(told).not.toContain(secret)
        expect(told).not.toContain('hunter2')
      }
    })

    it('are looked for as the option says, and no other word is taken', async () => {
      const error = await failure(cases.book({ secrets: 'hide' as never }))
      expect([error.code, error.details['path']]).toEqual(['invalid-input', 'secrets'])
    })

    it('of such a book are sealed on request, with the versions that hold them', async () => {
      const book = await cases.book({ secrets: 'off' })
      await book.perceptions.store({ id: 'p-1', content: secret })
      await book.perceptions.store({ id: 'p-2', content: secret })
      await book.perceptions.update({ id: 'p-2', updates: { content: 'no more' } })
      expect(await book.records.scan({ seal: true })).toMatchObject({ sealed: 2 })
      expect(await book.seal.status()).toMatchObject({ sealed: 2 })
      expect((await book.records.scan()).found.map(({ outcome }) => outcome)).toEqual([
        'sealed',
        'sealed',
        'sealed',
      ])
    })

    it('are masked while the book is locked, for then nothing can be sealed', async () => {
      const passphrase = 'correct horse battery'
      const book = await cases.book({ passphrase })
      await book.seal.lock()
      const { id } = await book.perceptions.store({ content: secret })
      expect(await book.records.get({ id })).toMatchObject({ content: mark })
    })
  })
}

/** Where no key is ever kept. */
export function keylessSecretCases(cases: BookCase): void {
  describe('secrets where there are no keys', () => {
    it('are masked where no key is ever kept, whatever was asked for', async () => {
      const book = await cases.book({ secrets: 'seal' })
      const { id } = await book.perceptions.store({ content: secret })
      expect(await book.records.get({ id })).toMatchObject({ content: mark })
    })
  })
}
