// Plays a schedule, lets the world come to rest, and holds what is left against the law of sync.
import { isDaybookError } from '../../src/core/errors.ts'
import { formatTime } from '../../src/core/time.ts'
import type { JsonObject } from '../../src/core/path.ts'
import { stampMs } from '../../src/core/stamp.ts'
import { stampLeadMs } from '../../src/sync/admit.ts'
import { keepMs } from '../../src/sync/mirror.ts'
import { sameDigest, toDigest } from '../../src/sync/digest.ts'
import { takeLate } from '../../src/sync/spill.ts'
import { decideConflict } from '../../src/sync/sync-capability.ts'
import { createConflictLog } from '../../src/store/conflict-log.ts'
import { createLedger, type Ledger, rowOf, rowsOf, tokenOf, tokensOf } from './ledger.ts'
import { deviceCount, type Schedule, type Step, type Weather } from './schedule.ts'
import { Crash, type Image } from './sim-disk.ts'
import { idOf, kindOf, newKinds, nextBody, oldKinds, plainBodies } from './sim-kind.ts'
import { createSimWorld, type Letter, type SimDevice, type SimWorld, type Site } from './sim-world.ts'
import { createWatch, type Watch } from './watch.ts'

interface Stage {
  readonly world: SimWorld
  readonly ledger: Ledger
  readonly watch: Watch
  readonly images: Map<string, Image>
}

/** Letters one sync may need before it counts as one that never ends. */
const letterLimit = 60
const selections = [
  undefined,
  ['merge', 'final'],
  ['local_wins', 'shifted'],
  ['fresh', 'forget_wins', 'merge'],
]

/** Plays `schedule`; throws when a law is broken. */
export async function play(schedule: Schedule, seed = 1): Promise<void> {
  const world = createSimWorld(seed)
  try {
    for (let i = 0; i < deviceCount; i++) world.addDevice('abc'[i] ?? 'x')
    const stage: Stage = { world, ledger: createLedger(), watch: createWatch(world), images: new Map() }
    for (const step of schedule) {
      await take(stage, step)
      await world.rest()
    }
    await comeToRest(stage)
    stage.watch.check()
    judge(stage, schedule)
  } finally {
    world.close()
  }
}

const siteOf = ({ world }: Stage, at: number): Site =>
  (at < deviceCount ? world.devices[at] : undefined) ?? world.mirror
const deviceOf = ({ world }: Stage, at: number): SimDevice =>
  world.devices[at % world.devices.length] as SimDevice
const letterOf = ({ world }: Stage, n: number): Letter | undefined =>
  world.letters[n % Math.max(1, world.letters.length)]

async function take(stage: Stage, step: Step): Promise<void> {
  const { world, ledger } = stage
  switch (step.do) {
    case 'put':
      return put(stage, siteOf(stage, step.at), step.record)
    case 'forget':
      return forget(stage, siteOf(stage, step.at), step.record)
    case 'sync':
      return carryThrough(stage, deviceOf(stage, step.at), [...step.weather], step.record)
    case 'start':
      return void deviceOf(stage, step.at).start()
    case 'carry':
      return letterOf(stage, step.letter)?.carry()
    case 'lose':
      return letterOf(stage, step.letter)?.drop()
    case 'copy':
      return letterOf(stage, step.letter)?.copy()
    case 'delay': {
      const letter = letterOf(stage, step.letter)
      letter?.copy()
      return letter?.drop()
    }
    case 'crash':
      return siteOf(stage, step.at).crash()
    case 'crash-soon':
      return siteOf(stage, step.at).run().handle.dieAt(step.after, step.committed)
    case 'wait':
      return void (world.clock.nowMs += step.ms)
    case 'skew':
      return void (deviceOf(stage, step.at).skewMs = step.ms)
    case 'age':
      // Longer than tombstones are kept.
      world.clock.nowMs += keepMs + 1
      ledger.collect()
      return survive(world.mirror.tidy())
    case 'tidy':
      ledger.collect()
      return survive(world.mirror.tidy())
    case 'harm':
      return harm(stage, deviceOf(stage, step.at), idOf(step.record))
    case 'replace-mirror':
      return setBack(stage, world.mirror, world.mirror.blank)
    case 'backup-mirror':
    case 'backup':
      return keepImage(stage, 'at' in step ? deviceOf(stage, step.at) : world.mirror)
    case 'restore-mirror':
    case 'restore':
      return setBack(stage, 'at' in step ? deviceOf(stage, step.at) : world.mirror)
    case 'fork': {
      if (world.devices.length > deviceCount + 1) return
      const from = deviceOf(stage, step.at)
      world.addDevice(`${from.name}${world.devices.length}`).disk.load(from.disk.save())
      return
    }
    case 'select': {
      const self = deviceOf(stage, step.at)
      self.crash()
      self.selection = { push: selections[step.push], pull: selections[step.pull] }
      return
    }
    case 'install': {
      const self = siteOf(stage, step.at)
      self.crash()
      self.kinds = step.old ? oldKinds : newKinds
      return
    }
    case 'spill':
      return survive(deviceOf(stage, step.at).spill())
    case 'take-late': {
      const self = deviceOf(stage, step.at)
      const { store } = self.run()
      const now = formatTime(world.clock.nowMs + self.skewMs)
      for (const { request, response } of self.late.splice(0))
        await survive(store.writes.write(() => takeLate(store, request, response, now)))
      return
    }
    case 'choose':
      return choose(stage, siteOf(stage, step.at))
  }
}

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
async function survive(work: Promise<unknown>): Promise<void> {
  try {
    await work
  } catch (error) {
    const isExpected = isDaybookError(error) && (error.code !== 'internal' || error.cause instanceof Crash)
    if (!isExpected && !(error instanceof Crash)) throw error
  }
}

async function put(stage: Stage, site: Site, record: number): Promise<void> {
  const { ledger, world } = stage
  const [id, name] = [idOf(record), kindOf(record)]
  const kind = site.kinds.get(name)
  if (!kind) return
  const before = rowOf(site.disk, id)
  const seen = before && !before.deleted ? (JSON.parse(before.body) as JsonObject) : undefined
  const token = ledger.token()
  await write(
    site,
    (records) => records.put({ kind: name, id, body: nextBody(kind, token, seen), scope: { agent: token } }),
    token,
    world.clock.nowMs,
  )
  noteWrite(stage, site, { token, op: 'put', record: id, kind: name, saw: before && tokenOf(before) })
}

async function forget(stage: Stage, site: Site, record: number): Promise<void> {
  const { ledger, world } = stage
  const id = idOf(record)
  const before = rowOf(site.disk, id)
  if (!before || before.deleted) return
  const token = ledger.token()
  await write(site, (records) => records.forget(id), token, world.clock.nowMs)
  noteWrite(stage, site, { token, op: 'forget', record: id, kind: before.kind, saw: tokenOf(before) })
}

/** A write counts once it is on the disk, whether or not its author lived to hear so. */
function noteWrite({ ledger }: Stage, site: Site, write: Omit<Parameters<Ledger['add']>[0], 'by'>): void {
  const row = rowOf(site.disk, write.record)
  if (row && tokenOf(row) === write.token) ledger.add({ ...write, by: site.name })
}

async function choose(stage: Stage, site: Site): Promise<void> {
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
    ...{ token, op: lost.op, record: entry.record, kind: entry.kind, saw: before && tokenOf(before) },
  })
}

/** A sync with each of its letters carried at once, in the given weather and then in fair one. */
async function carryThrough(
  stage: Stage,
  self: SimDevice,
  weather: Weather[],
  record: number,
): Promise<void> {
  const { world } = stage
  const done = self.start()
  for (let letters = 0; ; letters++) {
    await world.rest()
    if (self.isIdle() || !self.isRunning()) return
    const letter = world.letters.find((one) => one.from === self && one.isAwaited())
    if (!letter) return void (await done)
    if (letters > letterLimit) throw new Error('A sync does not end.')
    await carryIn(stage, letter, weather.shift() ?? 'fair', record)
  }
}

async function carryIn(stage: Stage, letter: Letter, weather: Weather, record: number): Promise<void> {
  const { world } = stage
  if (weather === 'lose-request') return letter.drop()
  if (weather === 'twice') letter.copy()
  if (!letter.answered()) await letter.carry(weather === 'behead' ? 'first-op' : undefined)
  if (weather === 'twice') await world.letters.at(-1)?.carry()
  if (weather === 'lose-answer') return letter.drop()
  if (weather === 'edit-meanwhile') await put(stage, letter.from, record)
  if (weather === 'others-meanwhile') {
    const other = world.devices[(world.devices.indexOf(letter.from) + 1) % world.devices.length] as SimDevice
    await put(stage, other, record)
    await carryThrough(stage, other, [], record)
  }
  await letter.carry()
}

function harm(stage: Stage, self: SimDevice, record: string): void {
  const had = tokensOf(self.disk)
  self.crash()
  const { db } = self.disk
  const synced = 'WHERE id = ? AND place > 0 AND op IS NULL'
  db.run(`DELETE FROM history WHERE seq = (SELECT seq FROM records ${synced})`, [record])
  db.run(`DELETE FROM records ${synced}`, [record])
  db.run("DELETE FROM book WHERE key = 'agreed'")
  excuse(stage, had)
}

/** Of these, nobody has to answer for what no disk has any more. */
function excuse({ ledger, world }: Stage, had: Set<string>): void {
  for (const { disk } of [world.mirror, ...world.devices])
    for (const token of tokensOf(disk)) had.delete(token)
  ledger.excuse(had)
}

function keepImage({ images }: Stage, site: Site): void {
  images.set(site.name, site.disk.save())
}

/** A disk comes back as it was. What it alone had since then is gone, and nobody's fault. */
function setBack(stage: Stage, site: Site, image = stage.images.get(site.name)): void {
  if (!image) return
  const { ledger, watch, world } = stage
  ledger.keepLog(site.disk)
  const had = tokensOf(site.disk)
  site.crash()
  site.disk.load(image)
  // Who restores a mirror gives it a new epoch.
  if (site === world.mirror) site.disk.db.run("DELETE FROM book WHERE key = 'epoch'")
  excuse(stage, had)
  watch.reset(site.name)
}

/** The weather is fair, everybody runs the newest Daybook, and all sync until nobody has anything to say. */
async function comeToRest(stage: Stage): Promise<void> {
  const { world } = stage
  for (const letter of [...world.letters]) letter.drop()
  await world.rest()
  for (const site of [world.mirror, ...world.devices]) {
    site.crash()
    Object.assign(site, { kinds: newKinds, selection: {} })
  }
  for (let round = 0; round < 14; round++) {
    let quiet = true
    for (const each of world.devices) {
      const before = stage.watch.moves()
      await carryThrough(stage, each, [], 0)
      for (const id of mendable(each)) {
        quiet = false
        await put(stage, each, id)
      }
      quiet &&= stage.watch.moves() === before
    }
    if (quiet) return
  }
  throw new Error('The devices do not come to rest.')
}

/** Records whose change was refused for good: a person writes them anew. */
function mendable({ disk }: SimDevice): number[] {
  return disk.db
    .all<{ id: string }>(
      'SELECT r.id FROM ops o JOIN records r ON r.seq = o.seq WHERE o.refused IS NOT NULL AND r.deleted = 0',
    )
    .map(({ id }) => Number(id.replace('record-', '')))
}

function judge({ world, ledger }: Stage, schedule: Schedule): void {
  const { mirror, devices, clock } = world
  const expected = rowsOf(mirror.disk, 0)
  const stones = (site: Site) => rowsOf(site.disk, 1).map(({ id, ver, place }) => ({ id, ver, place }))
  const { settings, sums } = mirror.run().store
  const head = settings.getNumber('head')
  const whole = toDigest(sums.kept(), head)
  for (const each of devices) {
    same(rowsOf(each.disk, 0), expected, `${each.name} and the mirror have the same records`)
    const { store } = each.run()
    same(store.ops.pendingCount(), 0, `${each.name} has nothing left to send`)
    same(store.settings.get('epoch'), settings.get('epoch'), `${each.name} knows the epoch`)
    same(store.settings.getNumber('cursor'), head, `${each.name} has read everything`)
    same(
      sameDigest(toDigest(store.sums.add({ from: 0, to: head }), head), whole),
      true,
      `${each.name} has the digest`,
    )
    // A tombstone below the floor may be gone on either side.
    const floor = settings.getNumber('floor')
    const above = (site: Site) => stones(site).filter(({ place }) => place > floor)
    same(above(each), above(mirror), `${each.name} and the mirror have the same tombstones`)
  }
  same(toDigest(sums.add({ from: 0, to: head }), head), whole, 'the kept digest is the sum')
  const limit = clock.nowMs + stampLeadMs
  for (const { stamp } of mirror.disk.db.all<{ stamp: string }>('SELECT stamp FROM records')) {
    if (stampMs(stamp) > limit) throw new Error(`A stamp at the mirror is ahead of its clock: ${stamp}`)
  }
  const has = (...names: Step['do'][]) => schedule.some((step) => names.includes(step.do))
  // Copies of one device both send what was unsent when they parted; a new mirror is told what another one knew.
  if (!has('fork', 'restore', 'replace-mirror', 'restore-mirror'))
    for (const { id } of expected) {
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
  for (const { record, lost, kept } of createConflictLog(mirror.disk.db, plainBodies).list({
    limit: 10_000,
  })) {
    if (!kept || lost.op === kept.op) continue
    same(
      kept.op,
      kindOf(Number(record.replace('record-', ''))) === 'forget_wins' ? 'forget' : 'put',
      `${record}: an edit wins over a forget`,
    )
  }
  if (has('replace-mirror', 'restore-mirror', 'restore', 'fork', 'harm', 'choose')) return
  for (const { name, disk } of devices) {
    same(
      disk.db.get("SELECT value FROM book WHERE key = 'repairs'"),
      undefined,
      `${name} never differed from the mirror`,
    )
  }
  // A merged record is an edit of its own, though it may show the text of one that was forgotten. And where a final state
  // was forgotten and said otherwise before anything was sent, only the latter travels, and does not undo it.
  for (const row of expected.filter(({ kind }) => kind !== 'merge' && kind !== 'final')) {
    const shown = tokenOf(row)
    const by = ledger.writes.filter(
      (write) => write.record === row.id && write.op === 'forget' && write.saw === shown,
    )
    same(by.length, 0, `${row.id}: nothing that was forgotten comes back`)
  }
}

function same(actual: unknown, expected: unknown, law: string): void {
  const [one, other] = [JSON.stringify(actual), JSON.stringify(expected)]
  if (one !== other) throw new Error(`${law}\n  is       ${one}\n  expected ${other}`)
}
