// The promises of a book, as tests: run on every host, through whatever stands between the caller and the engine.
import { afterEach, describe, expect, it } from 'vitest'
import type { Daybook } from '../../src/book/daybook.ts'
import { badInputCases } from './door/bad-input.ts'
import { makeTrace } from '../support/trace.ts'
import { isWhole } from '../support/whole.ts'
import { vectorCases } from './vector.ts'
import { type BookCase, type BookOptions, failure } from './book-case.ts'
import { browseCases } from './memory/browse.ts'
import { runCases } from './run/run.ts'
import { definitionCases } from './memory/definition.ts'
import { exampleCases } from './example.ts'
import { seedShapeCases, seedShapeRuleCases } from './seed-shape/seed-shape.ts'
import { factCases } from './memory/fact.ts'
import { perceptionCases } from './memory/perception.ts'
import { rememberCases } from './memory/remember.ts'
import { trustCases } from './memory/trust.ts'
import { longMessageCases } from './memory/long-message.ts'
import { markedCases } from './memory/marked.ts'
import { keptKeyCases } from './locked.ts'
import { keylessCases } from './seal.ts'
import { keylessSecretCases, sealedSecretCases, secretCases } from './secret.ts'
import { knownIdCases } from './memory/known-id.ts'
import { skillCases } from './memory/skill.ts'
import { queueCases } from './queue.ts'
import { traceQueryCases } from './memory/trace-query.ts'
import { twoTimesCases } from './memory/two-times.ts'
import { conversationMemoryCases, sourceRuleCases } from './memory/conversation-memory.ts'
import { bundleRefusalCases } from './archive/bundle-refusal.ts'
import { bundleCases } from './bundle.ts'
import { importCases } from './import.ts'
import { contextCases } from './context.ts'
import { oneFactCases } from './one-fact.ts'
import { consentCases, consentRuleCases } from './consent/consent.ts'
import { checkpointCases } from './memory/checkpoint.ts'
import { documentCases } from './memory/document.ts'
import { inboxCases } from './inbox.ts'
import { hiddenLinkCases } from './access/hidden-link.ts'
import { liveCases } from './door/live.ts'
import { liveGuestCases } from './door/live-guest.ts'
import { toolCases } from './door/tools.ts'
import { activityCases } from './run/activity.ts'
import { accessKeyCases } from './access/access-key.ts'
import { callerCases } from './access/caller.ts'
import { delegateCases, delegatePoolCases } from './consent/delegate.ts'
import { doorCases } from './door/door.ts'
import { exportPlaceCases } from './access/export-place.ts'
import { guestCases } from './access/guest.ts'
import { guestMadeCases } from './consent/guest-made.ts'
import { tokenCases } from './access/token.ts'
import type { HostPlace } from './access/verb-place.ts'
import { newerBookCases } from './newer-book.ts'
import { poolFateCases } from './pool/pool-fate.ts'
import { guestPoolCases } from './pool/pool-guest.ts'
import { mirrorPoolCases } from './pool/pool-mirror.ts'
import { poolCases } from './pool/pool.ts'
import { recallCases } from './recall.ts'
import { wholeAnswerCases } from './whole-answer.ts'
import { goldenCases } from '../golden/golden.ts'
import { judgedCases } from '../golden/judged.ts'
import { guestRoomCases, guestTalkCases } from './access/guest-talk.ts'
import { guestWriteCases } from './access/guest-write.ts'
import { roomCases } from './room.ts'

export interface BookHost extends HostPlace {
  /** Opens the book; opening the same name again after a close finds what was there. */
  open(name: string, options?: BookOptions): Promise<Daybook>
  /** Runs SQL in the database of a book that is closed. Absent where no newer Daybook can have written it. */
  alter?(name: string, statements: readonly string[]): Promise<unknown>
  /** False where no keys are kept, so that sensitive records are only passed on. */
  readonly keepsKeys?: boolean
  /** What it says of itself in `status().degraded`. Default: nothing. */
  readonly degraded?: readonly unknown[]
  /**
   * `storage`: only what depends on how the database is kept. For a second medium of a host that runs everything on its
   * first one, with the same engine and the same SQLite.
   */
  readonly part?: 'storage'
  /**
   * Whether `npm test` runs the rules here too: cases that no host changes, because they are decided by the engine's code over
   * records that other cases store, find, seal and share on every host. True on Node; `npm run soak:whole` runs them on all.
   */
  readonly hasRules?: boolean
}

let serial = 0

export function daybookContract(hostName: string, host: BookHost): void {
  const opened = new Map<Daybook, string>()
  const cases: BookCase = {
    async book(options) {
      const name = `contract-${++serial}`
      const book = await host.open(name, { timeZone: 'UTC', ...options })
      opened.set(book, name)
      return book
    },
    reopen: (book, options) => again(book, options),
    alter: (book, statements) => again(book, {}, async (name) => host.alter?.(name, statements)),
  }
  const again = async (
    book: Daybook,
    options: BookOptions | undefined,
    between: (name: string) => Promise<unknown> = () => Promise.resolve(),
  ) => {
    const name = opened.get(book) ?? ''
    await book.close()
    opened.delete(book)
    await between(name)
    const reopened = await host.open(name, { timeZone: 'UTC', ...options })
    opened.set(reopened, name)
    return reopened
  }

  afterEach(async () => {
    for (const book of opened.keys()) await book.close()
    opened.clear()
  })

  describe(`Daybook: ${hostName}`, () => {
    storeCases(cases, host)
    markedCases(cases, host.keepsKeys !== false)
    recallCases(cases)
    wholeAnswerCases(cases)
    conversationMemoryCases(cases, host.keepsKeys !== false)
    longMessageCases(cases, host.keepsKeys !== false)
    queueCases(cases, host.keepsKeys !== false)
    if (host.alter) newerBookCases(cases, host)
    badInputCases(cases)
    if (host.keepsKeys !== false) keptKeyCases(cases)
    doorCases(cases, host)
    if (host.hasRules || isWhole) ruleCases(cases, host)
    if (host.part === 'storage') return
    secretCases(cases, host.keepsKeys !== false)
    vectorCases(cases)
    traceQueryCases(cases)
    perceptionCases(cases)
    twoTimesCases(cases)
    rememberCases(cases)
    trustCases(cases)
    oneFactCases(cases)
    factCases(cases)
    seedShapeCases(cases, host)
    browseCases(cases)
    runCases(cases)
    goldenCases(cases)
    contextCases(cases)
    bundleCases(cases)
    bundleRefusalCases(cases)
    if (host.role === 'mirror') mirrorPoolCases(cases)
    else {
      for (const some of [roomCases, poolCases, guestPoolCases, delegatePoolCases]) some(cases)
      poolFateCases(cases, host.keepsKeys !== false)
    }
    guestTalkCases(cases)
    if (host.role !== 'mirror') guestRoomCases(cases)
    guestWriteCases(cases, host)
    if (host.keepsKeys === false) {
      keylessCases(cases)
      keylessSecretCases(cases)
    } else sealedSecretCases(cases)
    delegateCases(cases)
    tokenCases(cases, host)
    exportPlaceCases(cases)
    guestCases(cases, host)
    guestMadeCases(cases)
    callerCases(cases)
    accessKeyCases(cases)
    if (host.role !== 'mirror') activityCases(cases, host.keepsKeys !== false)
    documentCases(cases)
    checkpointCases(cases)
    liveCases(cases)
    liveGuestCases(cases, host.keepsKeys !== false)
    hiddenLinkCases(cases)
    toolCases(cases)
    consentCases(cases, host.keepsKeys !== false)
  })
}

/** Cases that give the same result on every host. A second medium of a host leaves out cases of data that it doesn't store. */
function ruleCases(cases: BookCase, host: BookHost): void {
  const keepsKeys = host.keepsKeys !== false
  sourceRuleCases(cases, keepsKeys)
  if (host.part === 'storage') return
  judgedCases(cases)
  for (const some of [skillCases, knownIdCases, definitionCases, exampleCases, importCases, inboxCases])
    some(cases)
  seedShapeRuleCases(cases, host)
  consentRuleCases(cases, keepsKeys)
}

function storeCases({ book: open, reopen }: BookCase, { degraded = [] }: BookHost): void {
  it('stores a trace and gives it back with its head on top', async () => {
    const book = await open()
    const receipt = await book.traces.store(
      makeTrace({ session: 's-1', timestamp: '2026-01-31T16:00:00+01:00' }),
    )
    expect(receipt.durability).toBe((await book.status()).durability)
    const trace = await book.traces.get({ id: receipt.id })
    expect(trace).toMatchObject({
      ...makeTrace(),
      id: receipt.id,
      kind: 'trace',
      agent: 'contract',
      session: 's-1',
      ver: expect.any(Number),
      timestamp: '2026-01-31T15:00:00.000Z',
      created_at: receipt.storedAt,
      metadata: { mode: 'interactive', tags: [], linked_traces: [] },
    })
    expect(await book.traces.get({ id: 'no-such-trace' })).toBeNull()
  })

  it('keeps what was acknowledged when it is opened again', async () => {
    const book = await open()
    const { id } = await book.traces.store(makeTrace())
    const again = await reopen(book)
    expect((await again.traces.get({ id }))?.task.goal).toBe('Evaluate the recursion exercise')
    expect((await again.recall({ text: 'recursion exercise' })).hits[0]?.record.id).toBe(id)
  })

  it('is one door under two spellings', async () => {
    const book = await open()
    const { id } = (await book.call('kstar:store_trace', makeTrace())) as { id: string }
    expect(await book.call('kstar:get_trace', { id })).toEqual(await book.traces.get({ id }))
    const error = await failure(book.call('kstar:no_such_verb', {}))
    expect(error).toMatchObject({ code: 'unknown-capability', details: { path: 'capability' } })
  })

  it('stores many at once, or none of them', async () => {
    const book = await open()
    const { ids } = await book.traces.storeMany({ traces: [makeTrace(), makeTrace(), makeTrace()] })
    expect(new Set(ids).size).toBe(3)
    const wrong = { ...makeTrace(), task: { goal: 7 } } as never
    const error = await failure(book.traces.storeMany({ traces: [makeTrace(), wrong] }))
    expect(error).toMatchObject({ code: 'invalid-input', details: { path: 'traces.1.task.goal' } })
    expect((await book.traces.count()).total).toBe(3)
  })

  it('answers 64 concurrent stores, each committed', async () => {
    const book = await open()
    const receipts = await Promise.all(Array.from({ length: 64 }, () => book.traces.store(makeTrace())))
    expect(new Set(receipts.map(({ id }) => id)).size).toBe(64)
    expect((await (await reopen(book)).traces.count()).total).toBe(64)
  })

  it('takes a write with a requestId once', async () => {
    const book = await open()
    const first = await book.traces.store(makeTrace(), { requestId: 'r-1' })
    expect(await book.traces.store(makeTrace(), { requestId: 'r-1' })).toEqual(first)
    expect((await book.traces.count()).total).toBe(1)
    const other = failure(book.traces.store(makeTrace({ task: { goal: 'another' } }), { requestId: 'r-1' }))
    expect((await other).code).toBe('request-reused')
  })

  it('completes a trace later, and keeps the version before', async () => {
    const book = await open()
    const { result, ...open_trace } = makeTrace()
    const { id } = await book.traces.store(open_trace)
    await book.traces.complete({ id, result: result ?? { success: false } })
    expect((await book.traces.get({ id }))?.result?.outcome).toEqual({
      score: 85,
      feedback: 'Good base case',
    })
    const again = await failure(book.traces.complete({ id, result: { success: false } }))
    expect(again).toMatchObject({ code: 'conflict', details: { path: 'result' } })
    await book.traces.complete({ id, result: { success: false }, replace: true })
    const { versions } = await book.traces.history({ id })
    expect(versions.map(({ version, op }) => [version, op])).toEqual([
      [1, 'put'],
      [2, 'put'],
      [3, 'put'],
    ])
    expect(versions[0]?.body?.['result']).toBeUndefined()
    expect((await book.traces.search({ query: 'base case' })).records).toEqual([])
    const missing = await failure(book.traces.complete({ id: 'nobody', result: { success: true } }))
    expect(missing).toMatchObject({ code: 'not-found', details: { path: 'id' } })
  })

  it('forgets: content, history and index entries go, and says who cited it', async () => {
    const book = await open()
    const { id } = await book.traces.store(makeTrace())
    const citing = await book.traces.store(
      makeTrace({ metadata: { linked_traces: [id] }, task: { goal: 'follow up' } }),
    )
    expect(await book.traces.linked({ id: citing.id })).toMatchObject({ to: [{ id }], from: [] })
    expect(await book.traces.linked({ id })).toMatchObject({ to: [], from: [{ id: citing.id }] })
    expect(await book.traces.forget({ id })).toMatchObject({ id, forgotten: true, citedBy: [citing.id] })
    expect(await book.traces.get({ id })).toBeNull()
    expect((await book.traces.search({ query: 'recursion' })).records).toEqual([])
    expect((await book.traces.query({})).records.map((record) => record.id)).toEqual([citing.id])
    expect(await book.traces.history({ id })).toEqual({
      versions: [{ version: 2, op: 'forget', agent: 'contract', at: expect.any(String) as string }],
    })
    expect(await book.traces.forget({ id })).toMatchObject({ forgotten: false })
    expect((await book.traces.linked({ id: citing.id })).to).toEqual([])
  })

  it('tells of changes after they are committed', async () => {
    const book = await open()
    const told = new Promise<readonly string[]>((resolve) => book.on('change', ({ ids }) => resolve(ids)))
    const { id } = await book.traces.store(makeTrace())
    expect(await told).toEqual([id])
  })

  it('says where it is and what is in it', async () => {
    const book = await open()
    await book.traces.store(makeTrace())
    const status = await book.status()
    expect(status).toMatchObject({ agent: 'contract', owner: true, records: { trace: 1 }, degraded })
    expect(status.usageBytes).toBeGreaterThan(0)
    expect(status.sync).toMatchObject({ configured: false, running: false, conflicts: 0 })
  })

  it('refuses calls after it was closed', async () => {
    const book = await open()
    await book.close()
    expect((await failure(book.traces.query({}))).code).toBe('book-closed')
    await book.close()
  })

  it('does not begin what was cancelled before', async () => {
    const book = await open()
    const cancelled = failure(book.traces.store(makeTrace(), { signal: AbortSignal.abort() }))
    expect((await cancelled).code).toBe('aborted')
  })
}
