// Syncs of a schedule, and the weather that their letters travel in.
import type { Weather } from '../step.ts'
import type { Letter } from '../world/sim-letter.ts'
import type { SimDevice } from '../world/sim-site.ts'
import type { Stage } from './stage.ts'
import { put } from './write.ts'

/** Letters one sync may need before it counts as one that never ends. */
const letterLimit = 60

/** A sync with each of its letters carried at once, in the given weather and then in fair one. */
export async function carryThrough(
  stage: Stage,
  self: SimDevice,
  weather: Weather[],
  record: number,
): Promise<void> {
  const { world } = stage
  let done = self.start()
  for (let letters = 0; ; letters++) {
    await world.rest()
    if (self.isIdle() || !self.isRunning()) return
    const letter = world.letters.find((one) => one.from === self && one.isAwaited())
    if (!letter) return void (await done)
    if (letters > letterLimit) throw new Error('A sync does not end.')
    const next = weather.shift() ?? 'fair'
    await carryIn(stage, letter, next, record)
    if (next !== 'ask-again') continue
    await world.rest()
    // Nobody waited for that answer.
    if (!self.isIdle()) continue
    done = self.start()
    weather.unshift('fair')
  }
}

async function carryIn(stage: Stage, letter: Letter, weather: Weather, record: number): Promise<void> {
  const { world } = stage
  if (weather === 'lose-request') return letter.drop()
  if (weather === 'twice') letter.copy()
  if (!letter.answered()) await letter.carry(weather === 'behead' ? 'first-op' : undefined)
  if (weather === 'twice') await world.letters.at(-1)?.carry()
  if (weather === 'lose-answer' || weather === 'ask-again') return letter.drop()
  if (weather === 'edit-meanwhile') await put(stage, letter.from, record)
  if (weather === 'others-meanwhile') {
    const other = world.devices[(world.devices.indexOf(letter.from) + 1) % world.devices.length] as SimDevice
    await put(stage, other, record)
    await carryThrough(stage, other, [], record)
  }
  await letter.carry()
}
