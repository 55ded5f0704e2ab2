// Uses of skills in a schedule: each adds to the counts of what its device has, as the verb of skills does.
import type { JsonObject } from '../../../src/core/json/path.ts'
import { bodyOf } from '../../../src/core/record.ts'
import { recordUse } from '../../../src/memory/kstar/maturity.ts'
import type { SkillBody } from '../../../src/memory/kstar/skill-schema.ts'
import { rowOf } from '../ledger.ts'
import { firstRecordCount, idOf, newSkill } from '../world/sim-kind.ts'
import type { Site } from '../world/sim-site.ts'
import type { Stage } from './stage.ts'
import { noteAct, write } from './write.ts'

export async function use(
  stage: Stage,
  site: Site,
  { skill, good }: { readonly skill: number; readonly good: boolean },
): Promise<void> {
  const id = idOf(firstRecordCount + skill)
  const row = rowOf(site.disk, id)
  // Who has forgotten a skill has none to use.
  if (row?.deleted === 1) return
  // Two records that were begun alike in everything are one: while somebody begins it, no two uses are at one instant.
  const { devices, clock } = stage.world
  if (devices.some(({ disk }) => (rowOf(disk, id)?.ver ?? 0) === 0)) clock.nowMs += 1
  const before = row?.body
  await write(stage, site, 'user', (records, now) => {
    const found = records.get(id)
    // It is there, and can't be read.
    if (!found && before !== undefined) return
    const body = found ? (bodyOf(found) as unknown as SkillBody) : (newSkill as unknown as SkillBody)
    const maturity = recordUse(body.maturity, good, now)
    records.put({ kind: 'skill', id, body: { ...body, maturity } as unknown as JsonObject })
  })
  if (rowOf(site.disk, id)?.body === before) return
  stage.uses.push({ skill: id, good })
  if (!row) stage.ledger.begin(id)
  noteAct(stage, site, 'skill')
}
