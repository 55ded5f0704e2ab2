// The law of sync, held against what a world has come to when everything is at rest.
import { stampMs } from '../../../src/core/stamp.ts'
import { ConflictLog } from '../../../src/store/record/conflict-log.ts'
import { maxStampLeadMs } from '../../../src/sync/mirror/admit.ts'
import { digestsEqual, toDigest } from '../../../src/sync/wire/agreement.ts'
import { rowsOf, tokenOf } from '../ledger.ts'
import type { Schedule } from '../schedule.ts'
import { same } from './same.ts'
import { has } from './schedule-has.ts'
import { newKinds, openBodies } from '../world/sim-kind.ts'
import type { Site } from '../world/sim-site.ts'
import type { Stage } from '../stage/stage.ts'

/** Throws when what is left at rest breaks a law. */
export function judge({ world, ledger }: Stage, schedule: Schedule): void {
  const { mirror, devices, clock } = world
  const expected = rowsOf(mirror.disk, 0)
  const stones = (site: Site) => rowsOf(site.disk, 1).map(({ id, ver, place }) => ({ id, ver, place }))
  const { settings, sums } = mirror.run().store
  const head = settings.getNumber('head')
  const whole = toDigest(sums.currentSum(), head)
  for (const each of devices) {
    same(rowsOf(each.disk, 0), expected, `${each.name} and the mirror have the same records`)
    const { store } = each.run()
    same(store.ops.pendingCount(), 0, `${each.name} has nothing left to send`)
    same(store.settings.get('epoch'), settings.get('epoch'), `${each.name} knows the epoch`)
    same(store.settings.getNumber('cursor'), head, `${each.name} has read everything`)
    same(
      digestsEqual(toDigest(store.sums.sumRange({ from: 0, to: head }), head), whole),
      true,
      `${each.name} has the digest`,
    )
    // A tombstone below the floor may be gone on either side.
    const floor = settings.getNumber('floor')
    const above = (site: Site) => stones(site).filter(({ place }) => place > floor)
    same(above(each), above(mirror), `${each.name} and the mirror have the same tombstones`)
  }
  same(toDigest(sums.sumRange({ from: 0, to: head }), head), whole, 'the kept digest is the sum')
  const limit = clock.nowMs + maxStampLeadMs
  for (const { stamp } of mirror.disk.db.all<{ stamp: string }>('SELECT stamp FROM records')) {
    if (stampMs(stamp) > limit) throw new Error(`A stamp at the mirror is ahead of its clock: ${stamp}`)
  }
  // These steps send an op again: both copies of a device send its unsent ops, a new mirror gets the ops of the old one,
  // and a decision may repeat a text.
  if (!has(schedule, 'fork', 'restore', 'replace-mirror', 'restore-mirror', 'set-back-mirror', 'decide'))
    for (const { id, kind } of expected) {
      // Marks are said and taken back in the same words.
      if (kind === 'mark') continue
      const texts = mirror
        .run()
        .store.records.history(id)
        .flatMap(({ body }) => (body ? [JSON.stringify(body)] : []))
      same(texts.length, new Set(texts).size, `nothing was applied twice to ${id}`)
    }
  same(
    ledger.lost(
      mirror.disk,
      [mirror, ...devices].map(({ disk }) => disk),
    ),
    [],
    'nothing that was acknowledged is lost',
  )
  for (const { record, kind, loser, winner } of new ConflictLog(mirror.disk.db, openBodies, {
    quotesForgotten: () => false,
    eraser: { withoutForgottenWords: (_owner, body) => body },
  }).list({
    limit: 10_000,
  })) {
    // Of two records that stand for one, what yields may have been forgotten since, and what stands, too.
    if (!winner || loser.op === winner.op || winner.record !== undefined) continue
    if (!newKinds.get(kind)?.laterEditRevives)
      same(winner.op, 'forget', `${record}: a forget wins over an edit that it did not know of`)
  }
  if (
    has(schedule, 'replace-mirror', 'restore-mirror', 'set-back-mirror', 'restore', 'fork', 'harm', 'choose')
  )
    return
  for (const { name, disk } of devices) {
    same(
      disk.db.get("SELECT value FROM book WHERE key = 'repairs'"),
      undefined,
      `${name} never differed from the mirror`,
    )
  }
  // A merged record, or one that was sealed over what another had in clear, is an edit of its own, though it may show
  // the text of one that was forgotten. And where a final state was forgotten and said otherwise before anything was
  // sent, only the latter travels, and does not undo it.
  for (const row of expected.filter(
    ({ kind, body }) => newKinds.get(kind)?.policy !== 'merge' && kind !== 'final' && !body.startsWith('['),
  )) {
    const shown = tokenOf(row)
    const by = ledger.writes.filter(
      (write) => write.record === row.id && write.op === 'forget' && write.saw === shown,
    )
    same(by.length, 0, `${row.id}: nothing that was forgotten comes back`)
  }
}
