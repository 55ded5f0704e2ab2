// Disks that lose something or come back as they were: what they alone had is nobody's fault.
import { tokensOf } from '../ledger.ts'
import type { Image } from '../world/sim-disk.ts'
import type { SimDevice, Site } from '../world/sim-site.ts'
import type { Stage } from './stage.ts'

export function harm(stage: Stage, self: SimDevice, record: string): void {
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

export function keepImage({ images }: Stage, site: Site): void {
  images.set(site.name, site.disk.save())
}

/** A disk comes back as it was. What it alone had since then is gone, and nobody's fault. `isTold`: a mirror's new epoch says so. */
export function setBack(
  stage: Stage,
  site: Site,
  { image = stage.images.get(site.name), isTold }: { image?: Image | undefined; isTold: boolean },
): void {
  if (!image) return
  const { ledger, watch } = stage
  ledger.keepLog(site.disk)
  ledger.repeat()
  const had = tokensOf(site.disk)
  site.crash()
  site.disk.load(image)
  if (site === stage.world.mirror) for (const { name } of stage.world.devices) stage.world.lines.cut(name)
  if (isTold) site.disk.db.run("DELETE FROM book WHERE key = 'epoch'")
  excuse(stage, had)
  watch.reset(site.name)
}
