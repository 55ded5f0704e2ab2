// Ninety days of a persona on two devices in two time zones, over a real mirror, in virtual time: what is promised of days
// holds at the end of them, and each morning.
import { afterAll, describe, expect, it } from 'vitest'
import type { Carrier } from '../../../../src/core/ports.ts'
import { SyncMirror } from '../../../../src/sync/mirror/mirror.ts'
import { openBookZone } from '../../../../src/web/web-zone.ts'
import { createTestTime } from '../../../support/test-engine.ts'
import { closeSites, lasting, memory, openSite, type Site } from '../conversation/site.ts'

const dayCount = 90
const hourMs = 3_600_000
/**
 * A Tuesday morning; the clocks of Vienna go forward on the way, on an evening that is spent away, and those of Tokyo never: what
 * is said then belongs to one day and no other.
 */
const start = Date.UTC(2026, 1, 3, 8)
const vienna = openBookZone('Europe/Vienna')

afterAll(closeSites)

function world() {
  const { ports, pass } = createTestTime(start)
  const edge = openSite(ports, { role: 'mirror', scope: { agent: 'edge' } })
  const mirror = new SyncMirror({ store: edge.engine.store, ...ports })
  const carrier: Carrier = {
    exchange: async (request) => JSON.parse((await mirror.exchange(JSON.stringify(request))).text) as unknown,
  }
  const device = (zone: string) => {
    // What closes an engine leaves its database: a tab that is opened again.
    const db = lasting(memory())
    return () => openSite(ports, { carrier, db, zone: openBookZone(zone) })
  }
  return { device, now: ports.clock.now, pass }
}

/** A numbered hour of talk: what is said names the day and the device, so that it is known where it comes from. */
async function talk(
  { book }: Site,
  scope: { agent: string; session?: string },
  word: string,
  isPersonal: boolean,
) {
  const persona = book.with(scope)
  const source = { User: 'Casey' } as never
  const { id = '' } = await persona.conversation.store({
    message: { content: `What about ${word}?`, source },
  })
  await persona.conversation.store({
    message: { content: `We looked at ${word} for a while.`, source: 'agent' },
  })
  await persona.thoughts.remember({ content: `Noted ${word}.`, context: isPersonal ? 'critical' : 'routine' })
  if (isPersonal) await persona.thoughts.mark({ memoryId: id, personal: true, collection: 'People/Casey' })
  return id
}

describe('ninety days of a persona on two devices in two zones', () => {
  it('have one digest each, told from both devices; each morning tells of the day before; nothing personal is archived', async () => {
    const { device, now, pass } = world()
    const open = { here: device('Europe/Vienna'), away: device('Asia/Tokyo') }
    const personal: string[] = []
    const lived = new Set<string>()
    const today = () => vienna.dayOf(now())
    let scope = { agent: '' }
    for (let day = 0; day < dayCount; day += 1) {
      const morning = now()
      const here = open.here()
      if (day === 0) scope = (await here.book.personas.register({ name: 'Alice' })).scope
      await here.book.sync()
      const woke = await here.book.sessions.start({ persona: 'Alice' })
      const yesterday = vienna.dayOf(now() - 24 * hourMs)
      if (day > 0) {
        expect(woke.sunrise).toMatchObject({ day: yesterday, isYesterday: true })
        expect(woke.sunrise.digest?.text).toContain(`morning-${day - 1}`)
      }
      lived.add(today())
      const said = await talk(here, woke.scope, `morning-${day}`, day % 7 === 0)
      if (day % 7 === 0) personal.push(said)
      await pass(hourMs / 2)
      // Every third evening its tab is closed, and nobody ends the session.
      if (day % 3 !== 0) await here.book.with(woke.scope).sessions.end({ focus: `day ${day}` })
      await here.book.sync()
      await here.engine.close()

      // Half past ten in the evening UTC: before midnight in Vienna in winter, after it in summer; morning in Tokyo.
      await pass(morning + 14.5 * hourMs - now())
      if (day % 2 === 0) {
        const away = open.away()
        if (day === 0 || day % 4 === 0) await away.book.sync()
        const late = await away.book.sessions.start({ persona: 'Alice' })
        lived.add(today())
        personal.push(await talk(away, late.scope, `evening-${day}`, true))
        await away.book.with(late.scope).sessions.end()
        // It is online every other time.
        if (day % 4 === 0) await away.book.sync()
        await away.engine.close()
      }
      await pass(morning + 24 * hourMs - now())
    }

    const sites = [open.here(), open.away()]
    for (const { book } of [...sites, ...sites]) {
      await book.sync()
      await book.days.consolidate({ persona: 'Alice' })
    }
    for (const { book } of [...sites, ...sites]) await book.sync()
    const told = await Promise.all(
      sites.map(async ({ book }) => (await book.days.list({ persona: 'Alice', limit: 1000 })).digests),
    )
    for (const digests of told) {
      expect(digests.map(({ period_id }) => period_id).toSorted()).toEqual([...lived].toSorted())
      expect(digests.reduce((sum, { raw }) => sum + raw, 0)).toBe(3 * (dayCount + dayCount / 2))
    }
    const text = (digests: (typeof told)[number]) => digests.map((one) => `${one.period_id}\n${one.text}`)
    expect(text(told[0] ?? [])).toEqual(text(told[1] ?? []))
    expect(lived.size).toBeGreaterThanOrEqual(dayCount)

    for (const { book } of sites) {
      const listed = await book.conversation.list({ agent: scope.agent, limit: 1000 })
      const there = new Set(listed.records.map(({ id }) => id))
      expect(personal.filter((id) => !there.has(id))).toEqual([])
      expect(there.size).toBeLessThan(2 * (dayCount + dayCount / 2))
      const kept = (await book.days.consolidate({ persona: 'Alice', dryRun: true })).retained
      expect(kept.personal).toBeGreaterThanOrEqual(personal.length - 4)
      const { sessions } = await book.sessions.list({ persona: 'Alice', limit: 1000 })
      expect(sessions.filter(({ state }) => state !== 'ended').length).toBeLessThanOrEqual(1)
    }
    const weeks = await sites[0]?.book.days.list({ persona: 'Alice', period: 'week', limit: 1000 })
    expect(weeks?.digests.length).toBeGreaterThanOrEqual(12)
    // Twenty seconds of work; on a machine that does more besides, minutes.
  }, 240_000)
})
