// Plays a schedule, lets the world come to rest, and holds what is left against the law of sync.
import { formatTime } from '../../src/core/time.ts'
import { seenPrecisionMs } from '../../src/store/record/device-log.ts'
import { retentionMs } from '../../src/sync/mirror/mirror.ts'
import { applyLateAnswer } from '../../src/sync/device/background.ts'
import { judgeConflicts } from './law/conflicts.ts'
import { judge } from './law/judge.ts'
import { judgeFacts } from './law/facts.ts'
import { outcomeOf, withoutLostAnswers } from './law/lost-answer.ts'
import { judgeMarks } from './law/marks.ts'
import { same } from './law/same.ts'
import { checkSecrecy } from './law/secrecy.ts'
import { judgePurged } from './law/purged.ts'
import { judgeMerged } from './law/skills.ts'
import type { Schedule } from './schedule.ts'
import { carryThrough } from './stage/carry.ts'
import { comeToRest, goByItself } from './stage/come-to-rest.ts'
import { harm, keepImage, setBack } from './stage/set-back.ts'
import { retract, sealFact, supersede } from './stage/fact.ts'
import { leave, publish } from './stage/leave.ts'
import { mark, undoMark } from './stage/mark.ts'
import { use } from './stage/skill.ts'
import { createStage, deviceOf, letterOf, siteOf, type Stage } from './stage/stage.ts'
import { choose, decideFor, forget, put, survive } from './stage/write.ts'
import { deviceCount, type Step } from './step.ts'
import { idOf, newKinds, oldKinds } from './world/sim-kind.ts'
import { createSimWorld } from './world/sim-world.ts'

const selections = [
  undefined,
  ['merge', 'final'],
  ['local_wins', 'shifted'],
  ['fresh', 'later_revives', 'merge'],
]

/** Plays `schedule`; throws when a law is broken. */
export async function play(schedule: Schedule, seed = 1): Promise<void> {
  const fair = withoutLostAnswers(schedule)
  const outcome = await playOnce(schedule, seed, fair !== undefined)
  if (fair)
    same(outcome, await playOnce(fair, seed, true), 'A lost answer that is asked for again changes nothing')
}

/** Answers what is left. `isCompared`: nobody's name, which decides between equal times, goes by who comes first. */
async function playOnce(schedule: Schedule, seed: number, isCompared: boolean): Promise<unknown> {
  const world = createSimWorld(seed)
  try {
    for (let i = 0; i < deviceCount; i++) world.addDevice('abc'[i] ?? 'x')
    const stage = createStage(world)
    if (isCompared) for (const site of [world.mirror, ...world.devices]) site.run()
    await world.rest()
    for (const step of schedule) {
      await take(stage, step)
      await world.rest()
      checkSecrecy(stage)
    }
    if (schedule.some((step) => step.do === 'pass')) await goByItself(stage)
    await comeToRest(stage)
    stage.watch.check()
    judge(stage, schedule)
    await judgeMarks(stage, schedule)
    judgeFacts(stage)
    judgeMerged(stage, schedule)
    judgeConflicts(stage, schedule)
    judgePurged(stage, schedule)
    checkSecrecy(stage)
    return outcomeOf(stage)
  } finally {
    world.close()
  }
}

async function take(stage: Stage, step: Step): Promise<void> {
  const { world, ledger } = stage
  switch (step.do) {
    case 'put':
    case 'seal':
      return put(stage, siteOf(stage, step.at), step.record, step.do === 'seal' ? 'sensitive' : undefined)
    case 'lock':
    case 'unlock':
      return deviceOf(stage, step.at).lock(step.do === 'lock')
    case 'publish':
      return publish(stage, deviceOf(stage, step.at))
    case 'leave':
      return leave(stage, step.record)
    case 'mark':
      return mark(stage, siteOf(stage, step.at), step)
    case 'undo-mark':
      return undoMark(stage, siteOf(stage, step.at))
    case 'supersede':
      return survive(supersede(stage, siteOf(stage, step.at), step.family))
    case 'seal-fact':
      return survive(sealFact(stage, siteOf(stage, step.at), step.family))
    case 'retract':
      return survive(retract(stage, siteOf(stage, step.at), step.family))
    case 'use':
      return use(stage, deviceOf(stage, step.at), step)
    case 'forget':
    case 'purge':
      return forget(stage, siteOf(stage, step.at), idOf(step.record), step.do === 'purge')
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
      ledger.skew()
      return void (deviceOf(stage, step.at).skewMs = step.ms)
    case 'age':
      // Longer than tombstones are kept.
      world.clock.nowMs += retentionMs + seenPrecisionMs + 1
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
      ledger.repeat()
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
        await survive(
          store.writes.write(() =>
            applyLateAnswer(store, { request, response, now, selection: self.selection }),
          ),
        )
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
    case 'decide':
      return decideFor(stage, siteOf(stage, step.at), step)
  }
}
