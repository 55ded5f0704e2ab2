// What a schedule is played on: the world, what was written in it, and who watches.
import { deviceCount } from '../step.ts'
import type { Json } from '../../../src/core/json/path.ts'
import type { Marks } from '../../../src/core/mark.ts'
import { createLedger, type Ledger } from '../ledger.ts'
import { createWatch, type Watch } from '../watch.ts'
import type { Image } from '../world/sim-disk.ts'
import type { Letter } from '../world/sim-letter.ts'
import type { SimDevice, Site } from '../world/sim-site.ts'
import type { SimWorld } from '../world/sim-world.ts'

export interface Stage {
  readonly world: SimWorld
  readonly ledger: Ledger
  readonly watch: Watch
  readonly images: Map<string, Image>
  /** What was said of records, in order. */
  readonly marks: MarkWrite[]
  readonly uses: Use[]
}

/** One mark of a record was said, or taken back. */
export interface MarkWrite {
  readonly target: string
  readonly name: keyof Marks
  readonly value: Json | undefined
  /** What stood there before, for whoever said it. */
  readonly saw: Json | undefined
  readonly by: string
  /** It was sealed as it was written. */
  readonly isSealed: boolean
}

/** A skill was used. */
export interface Use {
  readonly skill: string
  readonly good: boolean
}

/** A world in which nothing has happened yet. */
export const createStage = (world: SimWorld): Stage => ({
  world,
  ledger: createLedger(),
  watch: createWatch(world),
  images: new Map(),
  marks: [],
  uses: [],
})

export const siteOf = ({ world }: Stage, at: number): Site =>
  (at < deviceCount ? world.devices[at] : undefined) ?? world.mirror
export const deviceOf = ({ world }: Stage, at: number): SimDevice =>
  world.devices[at % world.devices.length] as SimDevice
export const letterOf = ({ world }: Stage, n: number): Letter | undefined =>
  world.letters[n % Math.max(1, world.letters.length)]
