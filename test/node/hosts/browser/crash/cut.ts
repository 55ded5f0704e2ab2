// What a crash leaves of a disk, for each step of a log.
// A killed process loses nothing that the disk had been told: the steps up to the cut, the last one perhaps in part.
// A power cut may lose, of what was not flushed, any write or any 512-byte sector of one, in any order.
import type { Dice } from '../../../../support/dice.ts'
import { apply, copyOf, DiskFile, type Image, type Step } from './fake-disk.ts'

const sectorBytes = 512

export interface Cut {
  /** As many steps happened whole. */
  readonly steps: number
  readonly by: 'kill' | 'torn' | 'power'
  /** The files, to look at until the next cut. */
  readonly left: Image
}

/** The cuts of every step: a kill before it, a kill in the middle of it, and `powerCuts` power cuts. */
export function* cutsOf(log: readonly Step[], powerCuts: number, dice: Dice): Generator<Cut> {
  const live = new Map<string, DiskFile>()
  const flushed = new Map<string, DiskFile>()
  const loose = new Map<string, Step[]>()
  for (const [steps, step] of log.entries()) {
    yield { steps, by: 'kill', left: live }
    if (step.do === 'write' && step.bytes.length > 1) {
      const torn = copyOf(live)
      apply(torn, { ...step, bytes: step.bytes.subarray(0, 1 + dice.below(step.bytes.length - 1)) })
      yield { steps, by: 'torn', left: torn }
    }
    for (let i = 0; i < powerCuts; i++) {
      const left = powerCut({ live, flushed, loose }, step, dice)
      yield { steps, by: 'power', left }
    }
    apply(live, step)
    const file = live.get(step.file)
    if (step.do === 'flush' && file) {
      flushed.set(step.file, file.copy())
      loose.delete(step.file)
    } else if (step.do === 'write' || step.do === 'truncate') {
      loose.set(step.file, [...(loose.get(step.file) ?? []), step])
    }
  }
  yield { steps: log.length, by: 'kill', left: live }
}

interface Moment {
  readonly live: Image
  readonly flushed: Image
  /** The steps of each file since it was flushed. */
  readonly loose: ReadonlyMap<string, readonly Step[]>
}

function powerCut({ live, flushed, loose }: Moment, next: Step, dice: Dice): Image {
  const image = new Map<string, DiskFile>()
  /** Of everything that is loose: nothing, nearly nothing, half, nearly everything. */
  const kept = [0, 10, 50, 90][dice.below(4)] ?? 0
  for (const name of live.keys()) {
    image.set(name, flushed.get(name)?.copy() ?? new DiskFile())
    for (const step of [...(loose.get(name) ?? []), ...(next.file === name ? [next] : [])]) {
      if (dice.below(100) >= kept) continue
      for (const part of dice.below(4) === 0 ? sectorsOf(step) : [step])
        if (part === step || dice.below(100) < kept) apply(image, part)
    }
  }
  return image
}

function sectorsOf(step: Step): Step[] {
  if (step.do !== 'write') return [step]
  const parts: Step[] = []
  for (let from = 0; from < step.bytes.length;) {
    const to = Math.min(step.bytes.length, from + sectorBytes - ((step.at + from) % sectorBytes))
    parts.push({ ...step, at: step.at + from, bytes: step.bytes.subarray(from, to) })
    from = to
  }
  return parts
}
