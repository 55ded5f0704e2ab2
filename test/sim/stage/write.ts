// Writes of a schedule: each counts once it is on the disk, whether or not its author lived to hear so.
import { isDaybookError } from '../../../src/core/errors.ts'
import { formatTime } from '../../../src/core/time.ts'
import { isSealedText, type Sensitivity } from '../../../src/core/sealed.ts'
import type { RecordWriter } from '../../../src/core/capability/port/record-port.ts'
import type { SyncWriter } from '../../../src/core/capability/port/sync-port.ts'
import { decideConflict } from '../../../src/sync/sync-chapter.ts'
import { rowOf, tokenOf, type Write } from '../ledger.ts'
import { Crash } from '../world/sim-disk.ts'
import { idOf, kindOf, nextBody, openBodies, saying } from '../world/sim-kind.ts'
import type { Site } from '../world/sim-site.ts'
import type { Stage } from './stage.ts'

/** Runs `work` as one write of `site`, which may refuse it, or die before its commit. */
export async function write(
  { world }: Stage,
  site: Site,
  agent: string,
  work: (records: RecordWriter, now: string, sync: SyncWriter) => unknown,
): Promise<void> {
  const { store, access, arrivals } = site.run()
  const now = formatTime(world.clock.nowMs + site.skewMs)
  const run = () => {
    const { records, sync } = access.writer(now, { agent })
    return work(records, now, sync)
  }
  if (!arrivals) return survive(store.writes.write(run))
  await survive(arrivals.again(() => store.writes.write(() => arrivals.writing(run))))
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
  const { ledger } = stage
  const id = idOf(record)
  const name = kindOf(record)
  const kind = site.kinds.get(name)
  if (!kind) return
  const before = rowOf(site.disk, id)
  // At the mirror nobody reads what is sealed.
  const isReadable = before && !before.deleted && !(site === stage.world.mirror && isSealedText(before.body))
  const seen = isReadable ? openBodies.readOrThrow(before, before.body) : undefined
  const token = ledger.token()
  await write(stage, site, token, (records) =>
    records.put({
      kind: name,
      id,
      body: nextBody(kind, token, seen),
      scope: {
        agent: token,
        ...(sensitivity ? { sensitivity } : {}),
      },
    }),
  )
  noteWrite(stage, site, {
    token,
    op: 'put',
    record: id,
    kind: name,
    saw: before && tokenOf(before),
    isBlind: before?.deleted === 0 && !isReadable,
  })
}

export async function forget(stage: Stage, site: Site, id: string, isPurge = false): Promise<void> {
  const { ledger } = stage
  const before = rowOf(site.disk, id)
  if (!before || before.deleted) return
  const token = ledger.token()
  await write(stage, site, token, (records) => (isPurge ? records.purge(id) : records.forget(id)))
  const saw = tokenOf(before)
  noteWrite(stage, site, { token, op: 'forget', isPurge, record: id, kind: before.kind, saw })
}

/** A device hears of its own writes, as its engine does. */
export function noteAct(stage: Stage, site: Site, kind: string): void {
  const self = stage.world.devices.find((one) => one === site)
  if (!self?.isRunning()) return
  self.trigger().bookUsed()
  self.trigger().recordWritten(kind)
}

/** A write counts once it is on the disk, whether or not its author lived to hear so. */
export function noteWrite(stage: Stage, site: Site, write: Omit<Write, 'by' | 'isSealed'>): void {
  const row = rowOf(site.disk, write.record)
  if (!row || tokenOf(row) !== write.token) return
  stage.ledger.add({ ...write, by: site.name, isSealed: isSealedText(row.body) })
  noteAct(stage, site, write.kind)
}

export async function choose(stage: Stage, site: Site): Promise<void> {
  const { ledger } = stage
  const { store } = site.run()
  const entry = store.conflicts.list({ limit: 1 })[0]
  if (!entry || !site.kinds.has(entry.kind) || isTended(entry.kind)) return
  const before = rowOf(site.disk, entry.record)
  const token = ledger.token()
  const { loser } = entry
  const body = saying(entry.kind, loser.body, token)
  const decision =
    loser.op === 'put' ? { id: entry.id, choose: 'body', body } : { id: entry.id, choose: 'loser' }
  await write(stage, site, token, (records, _now, sync) => decideConflict(decision, { records, sync }))
  noteWrite(stage, site, {
    token,
    op: loser.op,
    record: entry.record,
    kind: entry.kind,
    saw: before && tokenOf(before),
  })
}

/** Nobody decides what others put in order. */
const isTended = (kind: string) => kind === 'mark' || kind === 'public_key'

/** A person decides the `nth` of the newest conflicts for one of its sides, as that is. */
export async function decideFor(
  stage: Stage,
  site: Site,
  { nth, side }: { readonly nth: number; readonly side: 'loser' | 'winner' },
): Promise<void> {
  const { ledger } = stage
  const entry = site
    .run()
    .store.conflicts.list({ limit: nth + 1 })
    .at(-1)
  if (!entry || !site.kinds.has(entry.kind) || isTended(entry.kind)) return
  const { id, record, kind } = entry
  const before = rowOf(site.disk, record)
  const saw = before && tokenOf(before)
  const agent = ledger.token()
  await write(stage, site, agent, (records, _now, sync) =>
    decideConflict({ id, choose: side }, { records, sync }),
  )
  const after = rowOf(site.disk, record)
  const token = after && tokenOf(after)
  if (token === undefined || token === saw) return
  noteWrite(stage, site, { token, op: after?.deleted ? 'forget' : 'put', record, kind, saw })
}
