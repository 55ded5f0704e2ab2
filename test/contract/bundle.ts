// Bundles, as every host must write, verify and take them.
import { expect, it } from 'vitest'
import type { Daybook, ExportOptions } from '../../src/book/daybook.ts'
import { kinds } from '../../src/engine/capability-table.ts'
import { makeTrace } from '../support/trace.ts'
import { type BookCase, failure, failures } from './book-case.ts'

export const passphrase = 'a long enough passphrase'

/** The whole text of an export. */
export async function exported(book: Daybook, options?: ExportOptions): Promise<string> {
  return await new Response(await book.export(options)).text()
}

export async function fill(book: Daybook, count = 3): Promise<string[]> {
  const traces = Array.from({ length: count }, (_, i) =>
    makeTrace({
      task: {
        goal: `Lesson ${i}: recursion with a base case`,
        constraints: ['"quoted"', 'emoji 🙂', '\ud800 lone'],
      },
      timestamp: `2026-01-${String((i % 28) + 1).padStart(2, '0')}T10:00:00Z`,
      session: `run-${i % 3}`,
      resource: 'course:CS101',
    }),
  )
  return (await book.traces.storeMany({ traces })).ids
}

/** What a user can see of a book, without the numbers that a mirror gave. */
async function seen(book: Daybook) {
  const { records } = await book.traces.query({ orderBy: 'timestamp', limit: 1000 })
  const { hits } = await book.recall({ text: 'base case of lesson 2', at: '2026-02-01', limit: 10 })
  const { records: found } = await book.traces.search({ query: 'recursion lesson', limit: 10 })
  return {
    records: records.map(({ ver: _ver, ...record }) => record),
    hits: hits.map(({ record, score, because }) => [record.id, score, because.text]),
    found: found.map(({ id }) => id),
    counts: await book.traces.count(),
  }
}

export function bundleCases({ book: open }: BookCase): void {
  it('brings back what was forgotten when a bundle replaces, and never what was purged', async () => {
    const book = await open()
    const kept = await book.perceptions.store({ content: 'a heron' })
    const forgotten = await book.perceptions.store({ content: 'a stork' })
    const purged = await book.perceptions.store({ content: 'a crane' })
    const text = await exported(book)
    await book.records.forget({ id: forgotten.id })
    await book.records.purge({ id: purged.id })
    const { bundle } = await book.import(text, { mode: 'replace' })
    expect(bundle).toMatchObject({ conflicts: [{ id: purged.id, winner: 'book', forgotten: true }] })
    const { records } = await book.perceptions.query({})
    expect(records.map(({ id }) => id).toSorted()).toEqual([kept.id, forgotten.id].toSorted())
    expect(await book.records.get({ id: purged.id })).toBeNull()
    expect(await exported(book)).not.toContain('a crane')
  })

  it('exports each kind by its name, and refuses those that are valid in this book only', async () => {
    const book = await open()
    await book.perceptions.store({ content: 'a heron' })
    await book.accessKeys.create({ name: 'CI', permissions: ['read'] })
    await book.consent.setPolicy({ forAgents: '*', permissions: ['read_scoped'], allow: ['a2p:health'] })
    const refused: string[] = []
    for (const { name, grantsRights = false } of kinds.values()) {
      const text = exported(book, { kinds: [name], includeTokens: grantsRights })
      await text.catch(() => refused.push(name))
    }
    expect(refused.toSorted()).toEqual(
      [...kinds.values()]
        .filter(({ bound }) => bound)
        .map(({ name }) => name)
        .toSorted(),
    )
    const whole = await exported(book)
    expect(whole).toContain('a heron')
    expect(whole).not.toMatch(/a2p:health|access_key/)
  })

  it('exports a book of the shape of a kstar-bundle 1.0.0', async () => {
    const book = await open()
    const ids = await fill(book)
    const bundle = JSON.parse(await exported(book))
    expect(Object.keys(bundle)).toEqual(
      'format version exported_at agent memory schemas_used statistics integrity'.split(' '),
    )
    expect(bundle).toMatchObject({ format: 'kstar-bundle', version: '1.0.0', agent: { id: 'contract' } })
    expect(bundle.memory.traces.map(({ id }: { id: string }) => id)).toEqual([...ids].sort())
    expect(bundle.memory.traces[0]).toMatchObject({
      session: 'run-0',
      resource: 'course:CS101',
      agent: 'contract',
    })
    expect(bundle.memory.traces[0]).not.toHaveProperty('ver')
    expect(bundle.memory).not.toHaveProperty('control_tokens')
    expect(bundle.statistics).toMatchObject({
      trace_count: 3,
      date_range: { earliest: '2026-01-01T10:00:00.000Z', latest: '2026-01-03T10:00:00.000Z' },
    })
    expect(bundle.integrity.checksum).toMatch(/^sha256:[0-9a-f]{64}$/)
  })

  it('names the records that an import would add, before it adds any', async () => {
    const book = await open()
    const { id } = await book.perceptions.store({ content: 'The gate is green' })
    const text = await new Response(await book.export()).text()
    const other = await open()
    const added = [{ id, kind: 'perception' }]
    expect((await other.import(text, { dryRun: true })).bundle?.added).toEqual(added)
    expect(await other.records.get({ id })).toBeNull()
    expect((await other.import(text)).bundle?.added).toEqual(added)
    expect((await other.import(text)).bundle?.added).toEqual([])
  })

  it('imports a bundle into an empty book: identical queries, search and recall', async () => {
    const [book, other] = [await open(), await open()]
    await fill(book, 40)
    const text = await exported(book)
    const { imported, bundle } = await other.import(text)
    expect([imported, bundle?.conflictCount, bundle?.counts['trace']]).toEqual([40, 0, 40])
    expect(await seen(other)).toEqual(await seen(book))
    expect(await other.import(text)).toMatchObject({ imported: 0, skipped: 40, bundle: { updated: 0 } })
    const bytes = new TextEncoder().encode(text)
    expect(await other.import(bytes)).toMatchObject({ imported: 0, skipped: 40, bundle: { updated: 0 } })
  })

  it('streams what is larger than a page, both ways, and tells how far it is', async () => {
    const [book, other] = [await open(), await open()]
    const long = 'x'.repeat(4000)
    const traces = Array.from({ length: 200 }, (_, i) =>
      makeTrace({ task: { goal: `${i}`, constraints: [long] } }),
    )
    await book.traces.storeMany({ traces })
    const told = new Set<string>()
    for (const one of [book, other])
      one.on('progress', ({ subject, total }) => told.add(`${subject} ${total}`))
    const { imported } = await other.import(await book.export())
    expect(imported).toBe(200)
    expect([...told].some((one) => one === 'export 200')).toBe(true)
    expect([...told].some((one) => one === 'import 200')).toBe(true)
  })

  it('exports the book as it stood, whatever is written meanwhile, but nothing that was forgotten', async () => {
    const book = await open()
    const ids = await fill(book, 3)
    const before = JSON.parse(await exported(book)).memory.traces
    const stream = await book.export()
    const { result: _result, ...unfinished } = makeTrace()
    const later = await book.traces.store(unfinished)
    await book.traces.complete({ id: ids[0] ?? '', result: { success: false }, replace: true })
    await book.traces.forget({ id: ids[1] ?? '' })
    const after = JSON.parse(await new Response(stream).text()).memory.traces
    // The first page is read when the export begins; what it has not reached yet is read as it stood.
    const known = before.filter(({ id }: { id: string }) => id !== ids[1])
    for (const trace of known) expect(after).toContainEqual(trace)
    expect(after.map(({ id }: { id: string }) => id)).not.toContain(later.id)
  })

  it('exports some kinds, and a range of dates with its last day', async () => {
    const book = await open()
    await fill(book, 5)
    const bundle = JSON.parse(
      await exported(book, { kinds: ['traces'], from: '2026-01-02', to: '2026-01-04' }),
    )
    expect(Object.keys(bundle.memory)).toEqual(['traces'])
    expect(bundle.statistics.trace_count).toBe(3)
    const error = await failure(book.export({ kinds: ['wishes'] }))
    expect(error).toMatchObject({ code: 'invalid-input', details: { path: 'kinds.0' } })
    expect((await failure(book.export({ from: 'yesterday' }))).details['path']).toBe('from')
  })

  it('encrypts with a passphrase, and opens with it only', async () => {
    const [book, other] = [await open(), await open()]
    await fill(book)
    const sealed = await exported(book, { passphrase })
    expect(sealed).not.toContain('recursion')
    expect(await failure(other.import(sealed))).toMatchObject({ code: 'wrong-passphrase' })
    const wrong = await failure(other.import(sealed, { passphrase: 'another passphrase' }))
    expect(wrong.code).toBe('wrong-passphrase')
    expect((await other.traces.count()).total).toBe(0)
    expect(await other.verify(sealed, { passphrase })).toMatchObject({
      encrypted: true,
      counts: { trace: 3 },
    })
    expect(await other.import(sealed, { passphrase })).toMatchObject({ imported: 3 })
  })

  it('has no place for archives unless its host was given one', async () => {
    const book = await open()
    const calls = [book.archives.put({}), book.archives.list(), book.archives.verify({ key: 'a/b.kstar' })]
    for (const { code } of await failures(calls)) expect(code).toBe('archive-off')
  })

  it('verifies without importing', async () => {
    const [book, other] = [await open(), await open()]
    await fill(book)
    const text = await exported(book)
    const verified = await other.verify(text)
    expect(verified).toMatchObject({
      version: '1.0.0',
      encrypted: false,
      checksum: JSON.parse(text).integrity.checksum,
      counts: { trace: 3 },
    })
    expect((await other.traces.count()).total).toBe(0)
  })

  it('refuses what was altered, cut, doubled, reordered or comes from the future, and imports nothing', async () => {
    const [book, other] = [await open(), await open()]
    await fill(book)
    const text = await exported(book)
    const [first = '', second = ''] = JSON.parse(text).memory.traces.map((trace: unknown) =>
      asIn(text, trace),
    )
    const bad: [what: string, text: string, code: string][] = [
      ['altered', text.replace('Lesson 1', 'Lesson 7'), 'invalid-file'],
      ['cut', text.slice(0, -1), 'incomplete-file'],
      ['cut in a record', text.slice(0, text.indexOf('Lesson 1')), 'incomplete-file'],
      ['with more behind', `${text}{}`, 'invalid-file'],
      ['doubled', text.replace(first, `${first},${first}`), 'invalid-file'],
      ['reordered', text.replace(`${first},${second}`, `${second},${first}`), 'invalid-file'],
      ['without a record', text.replace(`${first},`, ''), 'invalid-file'],
      ['from the future', text.replace('"version":"1.0.0"', '"version":"1.1.0"'), 'bundle-newer'],
      ['of another time', text.replace('"exported_at":"2', '"exported_at":"1'), 'invalid-file'],
      ['empty', '{"format":"kstar-bundle"', 'incomplete-file'],
    ]
    for (const [what, altered, code] of bad) {
      expect(altered, what).not.toBe(text)
      expect((await failure(other.verify(altered))).code, what).toBe(code)
      expect((await failure(other.import(altered, { mode: 'replace' }))).code, what).toBe(code)
      expect((await failure(other.import(altered, { allowIncomplete: true }))).code, what).toBe(code)
    }
    expect((await other.traces.count()).total).toBe(0)
  })

  it('names the file, if its name is known, and the place of a fault', async () => {
    const book = await open()
    await fill(book, 1)
    const text = await exported(book)
    const file = (content: string) => new File([content], 'my.kstar')
    const newer = text.replace('"version":"1.0.0"', '"version":"9.0.0"')
    const cases: [content: string, code: string, path: string, message: string][] = [
      [text.replace('Lesson 0', 'Lesson 9'), 'invalid-file', 'integrity.checksum', 'The checksum is wrong'],
      [newer, 'bundle-newer', 'version', 'reads up to 1.0.0. Update Daybook. Nothing'],
      [text.slice(0, 700), 'incomplete-file', 'memory', "can't be verified. Get the whole file. If"],
    ]
    for (const [content, code, path, message] of cases)
      for (const transfer of [() => book.import(file(content)), () => book.verify(file(content))]) {
        const error = await failure(transfer())
        expect(error).toMatchObject({ code, details: { file: 'my.kstar' } })
        expect(error.details['path']).toMatch(path)
        expect(error.message).toMatch(/^my\.kstar: /)
        expect(error.message).toContain(message)
        expect(error.message).not.toMatch(/details\.file|(Update Daybook\. ){2}|(Get the whole file.*){2}/)
      }
    const named = await failure(book.import(newer, { name: 'given.kstar' }))
    expect(named.details).toMatchObject({ file: 'given.kstar' })
    const unnamed = await failure(book.import(newer))
    expect(unnamed.details).not.toHaveProperty('file')
  })

  it('refuses a bundle with one id in two lists as a wrong file, with the place', async () => {
    const book = await open()
    const { id } = await book.perceptions.store({ id: 'one', content: 'a heron' })
    const second = await open()
    await second.facts.store({ id, schema: 'note', data: { text: 'a stork' } })
    const [one, other] = [await exported(book), await exported(second)].map(
      (text) => JSON.parse(text) as { memory: Record<string, unknown> },
    )
    const both = { ...one, memory: { ...one?.memory, facts: other?.memory['facts'] } }
    const error = await failure(book.import(JSON.stringify(both)))
    expect(error.code).toBe('invalid-file')
    expect(error.details['path']).toMatch(/^memory\.\w+.*\.id$/)
    expect(error.message).toContain('The file has the id `one` twice. See details.path')
  })

  it('takes a bundle with a byte order mark, line ends or a print of its own, encrypted or not', async () => {
    const [book, other] = [await open(), await open()]
    await fill(book)
    const text = await exported(book)
    const passphrase = 'a long passphrase'
    const secret = await exported(book, { passphrase })
    const { counts } = await other.verify(text)
    for (const spelled of [`${text}\n`, `\ufeff${text}\r\n`, JSON.stringify(JSON.parse(text), null, 2)])
      expect((await other.verify(spelled)).counts).toEqual(counts)
    for (const spelled of [`${secret}\n`, `\ufeff${secret.replaceAll('\n', '\r\n')}\r\n\r\n`])
      expect((await other.verify(spelled, { passphrase })).counts).toEqual(counts)
    const { bundle } = await other.import(`\ufeff${JSON.stringify(JSON.parse(text), null, 4)}\n`)
    expect(bundle).toMatchObject({ conflictCount: 0, counts })
    expect(await exported(other, { kinds: ['trace'] })).toContain('Lesson 1')
  })

  it('merges by the policy of the kind: the edit that loses is in the conflict log, once', async () => {
    const [book, other] = [await open(), await open()]
    const [id = '', gone = ''] = await fill(book)
    const text = await exported(book)
    await other.import(text)
    await other.traces.complete({ id, result: { success: false, outcome: { mine: true } }, replace: true })
    await other.traces.forget({ id: gone })
    const dry = await other.import(text, { dryRun: true })
    expect((await other.conflicts.list()).conflicts).toEqual([])
    const { bundle } = await other.import(text)
    expect(bundle).toMatchObject({ imported: 0, updated: 0, unchanged: 1, conflictCount: 2 })
    expect({ ...bundle, dryRun: true }).toEqual(dry.bundle)
    expect(bundle?.conflicts).toContainEqual({ id, kind: 'trace', policy: 'local_wins', winner: 'book' })
    expect(bundle?.conflicts).toContainEqual(expect.objectContaining({ id: gone, forgotten: true }))
    expect((await other.traces.get({ id }))?.result?.outcome).toEqual({ mine: true })
    expect(await other.traces.get({ id: gone })).toBeNull()
    await other.import(text)
    const { conflicts } = await other.conflicts.list()
    expect(conflicts).toHaveLength(1)
    expect(conflicts[0]).toMatchObject({ record: id, loser: { op: 'put', by: 'bundle:contract' } })
  })

  it('replaces the kinds of a bundle with what it says', async () => {
    const [book, other] = [await open(), await open()]
    const [id = '', gone = ''] = await fill(book)
    const text = await exported(book)
    await other.import(text)
    const own = await other.traces.store(makeTrace())
    await other.traces.complete({ id, result: { success: false }, replace: true })
    await other.traces.forget({ id: gone })
    const dry = await other.import(text, { mode: 'replace', dryRun: true })
    expect(dry.bundle).toMatchObject({ imported: 1, updated: 1, unchanged: 1, forgotten: 1 })
    expect((await other.traces.count()).total).toBe(3)
    const { bundle } = await other.import(text, { mode: 'replace' })
    expect(bundle).toMatchObject({ imported: 1, updated: 1, unchanged: 1, forgotten: 1, conflictCount: 0 })
    expect(await other.traces.get({ id: own.id })).toBeNull()
    expect((await seen(other)).records).toEqual((await seen(book)).records)
  })

  it('takes a bundle from files, streams and iterables, and refuses bytes that are no text', async () => {
    const book = await open()
    await fill(book)
    const text = await exported(book)
    const bytes = new TextEncoder().encode(text)
    const other = await open()
    async function* pieces() {
      for (let at = 0; at < bytes.length; at += 7) yield bytes.slice(at, at + 7)
    }
    expect(await other.import(new Blob([bytes]))).toMatchObject({ imported: 3 })
    expect(await other.import(pieces())).toMatchObject({ skipped: 3 })
    const torn = Uint8Array.from(bytes, (byte, i) => (i === 900 ? 0xff : byte))
    expect(await failure(other.import(new Blob([torn])))).toMatchObject({ code: 'invalid-file' })
  })

  it('lets go of an import whose source fails or whose caller gives up', async () => {
    const [book, other] = [await open(), await open()]
    await fill(book, 400)
    const text = await exported(book)
    async function* failing() {
      yield text.slice(0, 400_000)
      throw new Error('the disk is gone')
    }
    await expect(other.import(failing())).rejects.toThrow('the disk is gone')
    const abort = new AbortController()
    async function* stalling() {
      yield text.slice(0, 400_000)
      abort.abort()
      yield text.slice(400_000)
    }
    expect((await failure(other.import(stalling(), { signal: abort.signal }))).code).toBe('aborted')
    expect((await other.traces.count()).total).toBe(0)
    expect(await other.import(text)).toMatchObject({ imported: 400 })
  })

  it('says what is wrong with a call', async () => {
    const book = await open()
    await fill(book)
    expect((await failure(book.bundles.export({ cursor: 'nothing.1' }))).code).toBe('not-found')
    expect((await failure(book.bundles.import({ text: '', cursor: 'nothing' }))).code).toBe('not-found')
    expect((await failure(book.bundles.export({ cursor: 'x', from: '2026-01-01' }))).details['path']).toBe(
      'cursor',
    )
    expect((await failure(book.bundles.verify({ text: '{"agent":{}}' }))).details['path']).toBe('format')
  })
}

/** A record as it is written in the bundle. */
function asIn(text: string, record: unknown): string {
  const { id } = record as { id: string }
  const start = text.lastIndexOf('{"action":', text.indexOf(`"id":"${id}"`))
  const next = text.indexOf(',{"action":{"parameters"', start + 1)
  return text.slice(start, next < 0 ? text.indexOf(']},"schemas_used"') : next)
}
