// Plays a schedule, lets the world come to rest, and holds what is left against the law of sync.
import { isDaybookError } from '../../src/core/errors.ts'
import { formatTime } from '../../src/core/time.ts'
import { isSealedText, type Sensitivity } from '../../src/core/sealed.ts'
import { seenWithinMs } from '../../src/store/record/device-log.ts'
import { keepMs } from '../../src/sync/mirror/mirror.ts'
import { takeLate } from '../../src/sync/device/spill.ts'
import { decideConflict } from '../../src/sync/sync-capability.ts'
import { judge } from './judge.ts'
import { createLedger, type Ledger, rowOf, tokenOf, tokensOf, type Write } from './ledger.ts'
import { deviceCount, type Schedule, type Step, type Weather } from './schedule.ts'
import { Crash, type Image } from './sim-disk.ts'
import { idOf, kindOf, newKinds, nextBody, oldKinds, openBodies } from './sim-kind.ts'
import { createSimWorld, type Letter, plans, type SimDevice, type SimWorld, type Site } from './sim-world.ts'
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
    if (schedule.some((step) => step.do === 'pass')) await goByItself(stage)
    await comeToRest(stage)
    stage.watch.check()
    judge(world, stage.ledger, schedule)
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
    case 'seal':
      return put(stage, siteOf(stage, step.at), step.record, step.do === 'seal' ? 'sensitive' : undefined)
    case 'lock':
    case 'unlock':
      return void (deviceOf(stage, step.at).sealer.keys = step.do === 'lock' ? [] : [1])
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
      world.clock.nowMs += keepMs + seenWithinMs + 1
      ledger.collect()
      return survive(world.mirror.tidy())
    case 'tidy':
      ledger.collect()
      return survive(world.mirror.tidy())
    case 'harm':
      return harm(stage, deviceOf(stage, step.at), idOf(step.record))
    case 'replace-mirror':
      return setBack(stage, world.mirror, { image: world.mirror.blank, isTold: true })
    case 'backup-mirror':
    case 'backup':
      return keepImage(stage, 'at' in step ? deviceOf(stage, step.at) : world.mirror)
    case 'restore-mirror':
    case 'set-back-mirror':
    case 'restore':
      return setBack(stage, 'at' in step ? deviceOf(stage, step.at) : world.mirror, {
        isTold: step.do === 'restore-mirror',
      })
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
    case 'pass':
      return world.pass(step.ms, step.weather)
    case 'wake': {
      const self = deviceOf(stage, step.at)
      self.trigger().wake()
      return self.live()?.wake()
    }
    case 'cut':
      return world.lines.cut(deviceOf(stage, step.at).name)
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

async function put(stage: Stage, site: Site, record: number, sensitivity?: Sensitivity): Promise<void> {
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

async function forget(stage: Stage, site: Site, record: number): Promise<void> {
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
    token,
    op: lost.op,
    record: entry.record,
    kind: entry.kind,
    saw: before && tokenOf(before),
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

/** A disk comes back as it was. What it alone had since then is gone, and nobody's fault. `isTold`: a mirror's new epoch says so. */
function setBack(
  stage: Stage,
  site: Site,
  { image = stage.images.get(site.name), isTold }: { image?: Image | undefined; isTold: boolean },
): void {
  if (!image) return
  const { ledger, watch } = stage
  ledger.keepLog(site.disk)
  const had = tokensOf(site.disk)
  site.crash()
  site.disk.load(image)
  if (site === stage.world.mirror) for (const { name } of stage.world.devices) stage.world.lines.cut(name)
  if (isTold) site.disk.db.run("DELETE FROM book WHERE key = 'epoch'")
  excuse(stage, had)
  watch.reset(site.name)
}

/** The weather is fair, and nobody calls: what is due goes by itself. */
async function goByItself({ world }: Stage): Promise<void> {
  for (const letter of world.letters.slice()) letter.drop()
  await world.rest()
  const watched = world.devices.filter(({ plan }) => plan === plans[0] || plan === plans[1])
  // No more accidents.
  for (const site of [world.mirror, ...world.devices])
    site.run().handle.dieAt(Number.POSITIVE_INFINITY, false)
  for (let quarter = 0; quarter < 2; quarter++) await world.pass(15 * 60_000, 'fair')
  for (const each of watched) {
    const { phase } = each.trigger().state()
    const { store } = each.run()
    if (phase === 'stopped' || each.selection.push !== undefined) continue
    const isLeft = store.ops.hasUnsent() || store.ops.sent().length > 0
    if (isLeft) throw new Error(`What ${each.name} had to send did not go by itself (${phase}).`)
    const head = world.mirror.run().store.settings.getNumber('head')
    if (store.settings.getNumber('cursor') !== head)
      throw new Error(`What ${each.name} had to fetch did not come by itself (${phase}).`)
  }
}

/** The weather is fair, everybody runs the newest Daybook, and all sync until nobody has anything to say. */
async function comeToRest(stage: Stage): Promise<void> {
  const { world } = stage
  for (const letter of world.letters.slice()) letter.drop()
  await world.rest()
  for (const site of [world.mirror, ...world.devices]) {
    site.crash()
    Object.assign(site, { kinds: newKinds, selection: {} })
  }
  for (const { sealer } of world.devices) sealer.keys = [1]
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
