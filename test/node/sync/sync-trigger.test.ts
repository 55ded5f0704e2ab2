import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { neverAborted } from '../../../src/core/abort.ts'
import type { SyncResult, SyncState } from '../../../src/core/capability/status.ts'
import { defined } from '../../../src/core/defined.ts'
import { DaybookError, type ErrorCode } from '../../../src/core/errors.ts'
import { createKinds } from '../../../src/core/kind.ts'
import { optionsOf } from '../../../src/core/option-check.ts'
import { backoffMs, SyncTrigger } from '../../../src/sync/device/sync-trigger.ts'
import type { SyncSession } from '../../../src/sync/device/session.ts'
import {
  parseDuration,
  parseSyncPlan,
  type SyncPreferences,
  syncOptionTable,
} from '../../../src/sync/device/sync-plan.ts'
import { createVirtualTime } from '../../support/virtual-time.ts'
import { makeKind, openTestStore } from '../../support/test-store.ts'

const kinds = createKinds(['trace', 'fact', 'token'].map((name) => makeKind({ name })))
const done: SyncResult = { pulled: 0, pushed: 0, conflicts: 0 }
const minute = 60_000

/** A trigger over a session that does as told, with all its attempts by when they came. */
function create(
  triggers: SyncPreferences['triggers'],
  more: { chance?: number; before?: ReturnType<typeof openTestStore> } = {},
) {
  const time = createVirtualTime()
  const store = more.before ?? openTestStore([makeKind()])
  const attempts: number[] = []
  const start = time.nowMs()
  const outcomes: (DaybookError | undefined)[] = []
  let lastError: DaybookError | undefined
  const session: Pick<SyncSession, 'sync' | 'state'> = {
    sync() {
      attempts.push(time.nowMs() - start)
      lastError = outcomes.shift()
      return lastError ? Promise.reject(lastError) : Promise.resolve(done)
    },
    state: () =>
      ({
        configured: true,
        phase: lastError?.code === 'offline' ? 'offline' : 'idle',
        running: false,
        pending: 0,
        refused: 0,
        conflicts: 0,
        repairs: 0,
        ...(lastError ? { lastError: lastError.toJSON() } : {}),
      }) as SyncState,
  }
  const plan = parseSyncPlan(defined({ triggers }), kinds)
  const random = { bytes: (n: number) => new Uint8Array(n).fill(Math.floor((more.chance ?? 0.5) * 256)) }
  const trigger = new SyncTrigger({
    plan,
    session,
    store: { ...store, writes: { write: async (work) => store.db.transaction(work) } },
    random,
    ...time,
  })
  return { time, trigger, attempts, outcomes, store }
}
const quarterly = { on_wake: true, on_action: true, periodic: { interval: '15m' } } as const
const fault = (code: ErrorCode, details = {}) => new DaybookError(code, undefined, { details })

describe('Q1 triggers', () => {
  it('Q1 manual: nothing happens by itself, whatever happens', async () => {
    const { time, trigger, attempts } = create('manual')
    trigger.recordWritten('trace')
    trigger.bookUsed()
    trigger.wake()
    await time.advance(10 * 86_400_000)
    expect(attempts).toEqual([])
    expect(await trigger.sync(neverAborted)).toEqual(done)
    expect(time.due()).toEqual([])
  })

  it('Q1 by default: when opened, soon after writes, and every 15 minutes', async () => {
    const { time, trigger, attempts } = create(undefined)
    await time.advance(0)
    expect(attempts).toEqual([0])
    await time.advance(minute)
    for (let i = 0; i < 50; i++) trigger.recordWritten('trace')
    await time.advance(minute)
    expect(attempts).toEqual([0, minute + 1000])
    await time.advance(30 * minute)
    expect(attempts).toEqual([0, minute + 1000, 15 * minute, 30 * minute])
  })

  it('Q1 on_idle: once nothing was asked for that long, and not again until something was', async () => {
    const { time, trigger, attempts } = create({ on_idle: { threshold: '5m' } })
    trigger.bookUsed()
    await time.advance(4 * minute)
    trigger.bookUsed()
    await time.advance(4 * minute)
    expect(attempts).toEqual([])
    await time.advance(20 * minute)
    expect(attempts).toEqual([9 * minute])
  })

  it('Q1 on_action: only for the kinds that were named', async () => {
    const { time, trigger, attempts } = create({ on_action: { kinds: ['facts'] } })
    trigger.recordWritten('trace')
    await time.advance(minute)
    expect(attempts).toEqual([])
    trigger.recordWritten('fact')
    await time.advance(minute)
    expect(attempts).toHaveLength(1)
  })

  it('Q1 wake: when the network comes back', async () => {
    const { time, trigger, attempts } = create({ on_wake: true })
    await time.advance(minute)
    trigger.wake()
    trigger.wake()
    await time.advance(minute)
    expect(attempts).toEqual([0, minute])
  })

  it('Q1 nothing comes after the end', async () => {
    const { time, trigger, attempts } = create({ on_wake: true, periodic: true, on_action: true })
    trigger.recordWritten('trace')
    trigger.close()
    trigger.wake()
    await time.advance(86_400_000)
    expect(attempts).toEqual([])
  })
})

describe('Q2 trying again', () => {
  it('Q2 waits longer after each failure, up to 5 minutes, and begins anew after a success', async () => {
    const { time, trigger, attempts, outcomes } = create({ on_wake: true }, { chance: 255 / 256 })
    outcomes.push(...Array.from({ length: 12 }, () => fault('offline')))
    await time.advance(60 * minute)
    const waits = attempts.slice(1).map((at, i) => at - (attempts[i] ?? 0))
    expect(waits.slice(0, 4).map((ms) => Math.round(ms / 1000))).toEqual([2, 4, 8, 16])
    expect(Math.max(...waits)).toBeLessThanOrEqual(300_000)
    expect(attempts).toHaveLength(13)
    expect(trigger.state().phase).toBe('idle')
    outcomes.push(fault('offline'))
    trigger.wake()
    await time.advance(0)
    expect(trigger.state()).toMatchObject({ phase: 'offline', nextAt: expect.any(String) as string })
    const [next = 0] = time.due()
    expect(next - time.nowMs()).toBeLessThanOrEqual(2000)
  })

  it('Q2 tries again soon after a write, at most once in 30 s', async () => {
    const { time, trigger, attempts, outcomes } = create({ on_action: true }, { chance: 255 / 256 })
    outcomes.push(...Array.from({ length: 20 }, () => fault('offline')))
    await expect(trigger.sync(neverAborted)).rejects.toMatchObject({ code: 'offline' })
    // The seventh retry is at 253 s, the eighth up to 4 minutes later.
    await time.advance(260_000)
    const before = attempts.length
    const start = 260_000
    for (let second = 0; second < 60; second++) {
      trigger.recordWritten('trace')
      await time.advance(1000)
    }
    expect(attempts.slice(before)).toEqual([start + 1000, start + 31_000])
    trigger.recordWritten('trace')
    await time.advance(1000)
    expect(attempts.slice(before)).toEqual([start + 1000, start + 31_000, start + 61_000])
  })

  it('Q2 tries again at once when the line opens or the mirror announces a change, at most once in 30 s', async () => {
    const { time, trigger, attempts, outcomes } = create({ on_wake: true }, { chance: 255 / 256 })
    outcomes.push(...Array.from({ length: 20 }, () => fault('offline')))
    await time.advance(260_000)
    const before = attempts.length
    trigger.lineOpened()
    await time.advance(200)
    expect(attempts).toHaveLength(before + 1)
    trigger.lineOpened()
    trigger.mirrorChanged()
    await time.advance(29_700)
    expect(attempts).toHaveLength(before + 1)
    outcomes.length = 0
    await time.advance(300)
    expect(attempts).toHaveLength(before + 2)
    expect(trigger.state().phase).toBe('idle')
    trigger.lineOpened()
    await time.advance(minute)
    expect(attempts).toHaveLength(before + 2)
  })

  it('Q2 no write and no line makes a mirror’s pause shorter, after a restart neither', async () => {
    const first = create({ on_wake: true, on_action: true }, { chance: 0 })
    first.outcomes.push(fault('rate-limited', { retryAfterMs: 90_000 }))
    await first.time.advance(0)
    const hurry = ({ trigger }: typeof first) => {
      trigger.recordWritten('trace')
      trigger.lineOpened()
      trigger.mirrorChanged()
    }
    hurry(first)
    await first.time.advance(80_000)
    expect(first.attempts).toEqual([0])
    first.trigger.close()
    const second = create({ on_wake: true, on_action: true }, { chance: 0, before: first.store })
    hurry(second)
    await second.time.advance(89_999)
    expect(second.attempts).toEqual([])
    await second.time.advance(1)
    expect(second.attempts).toEqual([90_000])
  })

  it('Q2 leaves a mirror alone for as long as it asks', async () => {
    const { time, trigger, attempts, outcomes } = create({ on_wake: true, on_action: true }, { chance: 0 })
    outcomes.push(fault('rate-limited', { retryAfterMs: 90_000 }))
    await time.advance(0)
    expect(trigger.state().phase).toBe('waiting')
    trigger.recordWritten('trace')
    await time.advance(89_999)
    expect(attempts).toEqual([0])
    await time.advance(1)
    expect(attempts).toEqual([0, 90_000])
  })

  it('Q2 what was due outlives a restart', async () => {
    const first = create({ on_wake: true }, { chance: 0.5 })
    first.outcomes.push(...Array.from({ length: 5 }, () => fault('offline')))
    await first.time.advance(20_000)
    const tried = first.attempts.length
    first.trigger.close()
    const second = create({ on_wake: true }, { chance: 0.5, before: first.store })
    await second.time.advance(0)
    // It waits on, as the fifth failure in a row asked, instead of beginning with a first attempt.
    expect(second.attempts).toEqual([])
    second.outcomes.push(fault('offline'))
    await second.time.advance(40_000)
    expect(second.attempts.length).toBeGreaterThan(0)
    expect(JSON.parse(first.store.settings.get('retry') ?? '{"attempt":0}')).toMatchObject(
      second.attempts.length === 1 ? { attempt: tried + 1 } : { attempt: 0 },
    )
  })

  it.each(['unauthorized', 'forbidden', 'client-too-old', 'server-too-old'] as const)(
    'Q3 %s: nothing is tried by itself until somebody asks, and then all is as before',
    async (code) => {
      const { time, trigger, attempts, outcomes } = create({ on_wake: true, on_action: true })
      outcomes.push(fault(code))
      await time.advance(0)
      trigger.recordWritten('trace')
      await time.advance(60 * minute)
      expect(attempts).toHaveLength(1)
      expect(trigger.state()).toMatchObject({ phase: 'stopped', lastError: { code } })
      await trigger.sync(neverAborted)
      trigger.recordWritten('trace')
      await time.advance(minute)
      expect(attempts).toHaveLength(3)
      expect(trigger.state().phase).toBe('idle')
    },
  )

  it.each(['unauthorized', 'forbidden', 'book-erased', 'client-too-old', 'invalid-input'] as const)(
    'Q3 %s: no trigger, network or write makes a try, until a caller syncs',
    async (code) => {
      const all = { ...quarterly, on_idle: true } as const
      const { time, trigger, attempts, outcomes } = create(all)
      await time.advance(0)
      trigger.bookUsed()
      trigger.recordWritten('trace')
      outcomes.push(fault(code))
      await time.advance(1000)
      expect([attempts.length, trigger.isRefused, time.due()]).toEqual([2, true, []])
      trigger.recordWritten('trace')
      trigger.bookUsed()
      trigger.wake()
      trigger.mirrorChanged()
      trigger.urged()
      await time.advance(86_400_000)
      expect([attempts.length, time.due()]).toEqual([2, []])
      expect(trigger.state()).not.toHaveProperty('nextAt')
      await trigger.sync(neverAborted)
      await time.advance(15 * minute)
      expect(attempts.length).toBeGreaterThan(3)
    },
  )

  it('Q3 an erasure that is stored leaves nothing to try after a restart, a due retry neither', async () => {
    const first = create({ on_wake: true, periodic: true })
    first.outcomes.push(fault('offline'))
    await first.time.advance(0)
    first.trigger.close()
    first.store.db.transaction(() => first.store.settings.set('mirror_erased', '2026-01-31T12:00:00.000Z'))
    const second = create({ on_wake: true, periodic: true }, { before: first.store })
    second.trigger.wake()
    await second.time.advance(86_400_000)
    expect([second.attempts, second.time.due()]).toEqual([[], []])
  })

  it.each(['storage-full', 'internal', 'book-closed'] as const)(
    'Q1 %s may pass: the periodic trigger tries again',
    async (code) => {
      const { time, trigger, attempts, outcomes } = create(quarterly)
      outcomes.push(fault(code))
      await time.advance(0)
      expect([trigger.isRefused, trigger.state().phase]).toEqual([false, 'stopped'])
      await time.advance(15 * minute)
      expect(attempts).toEqual([0, 15 * minute])
      expect(trigger.state().phase).toBe('idle')
    },
  )

  it('Q2 a caller that gives up is no failure', async () => {
    const { time, trigger, outcomes } = create({ on_wake: false, on_action: true })
    outcomes.push(fault('aborted'))
    await expect(trigger.sync(neverAborted)).rejects.toMatchObject({ code: 'aborted' })
    expect(time.due()).toEqual([])
  })

  it('Q2 jitter is full: between nothing and the most, and never less than asked', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 200 }),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        fc.nat(1e6),
        (attempt, chance, least) => {
          const ms = backoffMs(attempt, chance, least)
          expect(ms).toBeGreaterThanOrEqual(least)
          expect(ms).toBeLessThanOrEqual(Math.max(least, 300_000, 0))
          expect(backoffMs(attempt, 0)).toBe(0)
        },
      ),
    )
  })
})

describe('Q4 the plan', () => {
  it('Q4 reads kinds by name or plural, and spans of time', () => {
    const plan = parseSyncPlan(
      {
        triggers: {
          on_wake: true,
          on_idle: true,
          periodic: { interval: '1.5h' },
          on_action: { kinds: ['traces'] },
        },
        push: ['traces', 'fact'],
        pull: ['tokens'],
        policies: { traces: 'merge' },
      },
      kinds,
    )
    expect(plan).toEqual({
      live: true,
      onWake: true,
      idleMs: 300_000,
      intervalMs: 5_400_000,
      onAction: new Set(['trace']),
      push: ['trace', 'fact'],
      pull: ['token'],
      policies: new Map([['trace', 'merge']]),
    })
    expect(parseDuration('250ms', 'x')).toBe(250)
  })

  it('Q4 refuses an unknown conflict policy', () => {
    const check = optionsOf(syncOptionTable)
    expect(() => check({ policies: { trace: 'always' } }, 'sync')).toThrowError(
      expect.objectContaining({
        code: 'invalid-input',
        details: expect.objectContaining({ path: 'sync.policies.trace' }) as object,
      }) as Error,
    )
  })

  it('takes one conflict policy under both names of a kind', () => {
    const { policies } = parseSyncPlan({ policies: { trace: 'merge', traces: 'merge' } }, kinds)
    expect(policies).toEqual(new Map([['trace', 'merge']]))
  })

  it.each([
    [{ triggers: { periodic: { interval: '5' } } }, 'sync.triggers.periodic.interval'],
    [{ triggers: { periodic: { interval: '0s' } } }, 'sync.triggers.periodic.interval'],
    [{ triggers: { periodic: { interval: '25d' } } }, 'sync.triggers.periodic.interval'],
    [{ triggers: { on_idle: { threshold: '-5m' } } }, 'sync.triggers.on_idle.threshold'],
    [{ triggers: { on_idle: {} } }, 'sync.triggers.on_idle.threshold'],
    [{ triggers: { on_action: { kinds: ['trace', 'nothing'] } } }, 'sync.triggers.on_action.kinds.1'],
    [{ push: ['x'] }, 'sync.push.0'],
    [{ pull: [7] }, 'sync.pull.0'],
    [{ policies: { x: 'merge' } }, 'sync.policies.x'],
    [{ policies: { trace: 'merge', traces: 'manual' } }, 'sync.policies.traces'],
  ])('Q4 refuses %j', (preferences, path) => {
    expect(() => parseSyncPlan(preferences as SyncPreferences, kinds)).toThrowError(
      expect.objectContaining({
        code: 'invalid-input',
        details: expect.objectContaining({ path }) as object,
      }) as Error,
    )
  })
})
