// Writes of a schedule: each counts once it is on the disk, whether or not its author lived to hear so.
import { isDaybookError } from '../../../src/core/errors.ts'
import { formatTime } from '../../../src/core/time.ts'
import { isSealedText, type Sensitivity } from '../../../src/core/sealed.ts'
import { decideConflict } from '../../../src/sync/sync-capability.ts'
import { rowOf, tokenOf, type Write } from '../ledger.ts'
import { Crash } from '../world/sim-disk.ts'
import { idOf, kindOf, nextBody, openBodies } from '../world/sim-kind.ts'
import type { Site } from '../world/sim-site.ts'
import type { Stage } from './stage.ts'

/** Runs `work` as one write of `site`; false when it was refused or the process died before its commit. */
async function write(
  site: Site,
  work: (records: ReturnType<ReturnType<Site['run']>['access']['writer']>['records']) => unknown,
  agent: string,
  nowMs: number,
): Promise<void> {
  const { store, access } = site.run()
  const now = formatTime(nowMs + site.skewMs)
  await survive(store.writes.write(() => work(access.writer(now, { agent }).records)))
}

/** What a dying process or a refusal says is no fault. */
export async function survive(work: Promise<unknown>): Promise<void> {
  try {
    await work
  } catch (error) {
    const isExpected = isDaybookError(error) && (error.code !== 'internal' || error.cause instanceof Crash)
    if (!isExpected && !(error instanceof Crash)) throw error
  }
}

export async function put(
  stage: Stage,
  site: Site,
  record: number,
  sensitivity?: Sensitivity,
): Promise<void> {
  const { ledger, world } = stage
  const [id, name] = [idOf(record), kindOf(record)]
  const kind = site.kinds.get(name)
  if (!kind) return
  const before = rowOf(site.disk, id)
  const seen = before && !before.deleted ? openBodies.need(before, before.body) : undefined
  const token = ledger.token()
  await write(
    site,
    (records) =>
      records.put({
        kind: name,
        id,
        body: nextBody(kind, token, seen),
        scope: {
          agent: token,
          ...(sensitivity ? { sensitivity } : {}),
        },
      }),
    token,
    world.clock.nowMs,
  )
  noteWrite(stage, site, { token, op: 'put', record: id, kind: name, saw: before && tokenOf(before) })
}

export async function forget(stage: Stage, site: Site, record: number): Promise<void> {
  const { ledger, world } = stage
  const id = idOf(record)
  const before = rowOf(site.disk, id)
  if (!before || before.deleted) return
  const token = ledger.token()
  await write(site, (records) => records.forget(id), token, world.clock.nowMs)
  noteWrite(stage, site, { token, op: 'forget', record: id, kind: before.kind, saw: tokenOf(before) })
}

/** A device hears of its own writes, as its engine does. */
function act(stage: Stage, site: Site, kind: string): void {
  const self = stage.world.devices.find((one) => one === site)
  if (!self?.isRunning()) return
  self.trigger().touched()
  self.trigger().acted(kind)
}

/** A write counts once it is on the disk, whether or not its author lived to hear so. */
function noteWrite(stage: Stage, site: Site, write: Omit<Write, 'by' | 'isSealed'>): void {
  const row = rowOf(site.disk, write.record)
  if (!row || tokenOf(row) !== write.token) return
  stage.ledger.add({ ...write, by: site.name, isSealed: isSealedText(row.body) })
  act(stage, site, write.kind)
}

export async function choose(stage: Stage, site: Site): Promise<void> {
  const { ledger, world } = stage
  const { store } = site.run()
  const entry = store.conflicts.list({ limit: 1 })[0]
  if (!entry || !site.kinds.has(entry.kind)) return
  const before = rowOf(site.disk, entry.record)
  const token = ledger.token()
  const { lost } = entry
  const body = { ...lost.body, text: token }
  const decision =
    lost.op === 'put' ? { id: entry.id, choose: 'body', body } : { id: entry.id, choose: 'lost' }
  await write(site, (records) => decideConflict(decision, records), token, world.clock.nowMs)
  noteWrite(stage, site, {
    token,
    op: lost.op,
    record: entry.record,
    kind: entry.kind,
    saw: before && tokenOf(before),
  })
}
