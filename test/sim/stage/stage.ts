// What a schedule is played on: the world, what was written in it, and who watches.
import { deviceCount } from '../schedule.ts'
import type { Ledger } from '../ledger.ts'
import type { Watch } from '../watch.ts'
import type { Image } from '../world/sim-disk.ts'
import type { Letter } from '../world/sim-letter.ts'
import type { SimDevice, Site } from '../world/sim-site.ts'
import type { SimWorld } from '../world/sim-world.ts'

export interface Stage {
  readonly world: SimWorld
  readonly ledger: Ledger
  readonly watch: Watch
  readonly images: Map<string, Image>
}

export const siteOf = ({ world }: Stage, at: number): Site =>
  (at < deviceCount ? world.devices[at] : undefined) ?? world.mirror
export const deviceOf = ({ world }: Stage, at: number): SimDevice =>
  world.devices[at % world.devices.length] as SimDevice
export const letterOf = ({ world }: Stage, n: number): Letter | undefined =>
  world.letters[n % Math.max(1, world.letters.length)]
