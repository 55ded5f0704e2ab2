// The verbs of skills: store under a name, get, query, note the outcome of a use.
import { z } from 'zod'
import { DaybookError, notFound } from '../../core/errors.ts'
import type { JsonObject } from '../../core/json/path.ts'
import { type RecordName, bodyOf } from '../../core/record.ts'
import type { RecordReader } from '../../core/capability/port/record-port.ts'
import { needUnderstood } from '../../core/capability/understood.ts'
import { recordUse } from './maturity.ts'
import { splitScope } from './store-record.ts'
import { name, receipt } from './record-schema.ts'
import { type Skill, skill, type SkillBody, skillInput, skillLevels } from './skill-schema.ts'
import { skillKind, skillRecordNames } from './skill-kind.ts'
import { readVerb, recordVerbs, writeVerb } from '../../shape/record-verbs.ts'
import { storedNow } from '../../shape/receipt.ts'

const verbs = recordVerbs('skill', skill)

/** Finds the skill `name`. `recordName`: the name under which the skill is stored, or under which to store it. */
function findSkill(
  name: string,
  { find }: Pick<RecordReader, 'find'>,
): { readonly recordName: RecordName; readonly skill: Skill | undefined } {
  // The NFC spelling first, then spellings from before names were normalized.
  const names = skillRecordNames(name)
  for (const recordName of names) {
    const found = verbs.asItem(find(recordName))
    if (found) return { recordName, skill: found }
  }
  return { recordName: names[0], skill: undefined }
}

export const skillCapabilities = [
  writeVerb({
    id: 'kstar:store_skill',
    method: 'skills.store',
    summary: 'Stores how something is done, under a name that is unique in the book.',
    input: skillInput,
    output: receipt,
    run(input, at) {
      const { scope, rest } = splitScope(input)
      const { replace, maturity, ...body } = rest
      const { recordName, skill: existing } = findSkill(body.name, at.records)
      if (existing && !replace) {
        const message = `Skill \`${body.name.slice(0, 80)}\` already exists; pass replace: true to change it.`
        throw new DaybookError('conflict', message, { details: { path: 'name', id: existing.id } })
      }
      // Throws `record-newer` for a skill that doesn't fit the schema of this version.
      if (existing) needUnderstood(skillKind, existing)
      // The kind's `settle` adds the count of successes.
      const currentMaturity = maturity ??
        existing?.maturity ?? { level: 'novice', success_rate: 0, usage_count: 0 }
      const id = at.records.put({
        kind: 'skill',
        name: recordName,
        body: { ...body, maturity: currentMaturity } as unknown as JsonObject,
        scope,
        checked: true,
      })
      return { id, ...storedNow(at.call) }
    },
  }),
  readVerb({
    id: 'kstar:get_skill',
    method: 'skills.get',
    summary: 'Reads a skill by name, or null.',
    input: z.strictObject({ skillName: name }),
    output: skill.nullable(),
    run: ({ skillName }, at) => findSkill(skillName, at.records).skill ?? null,
  }),
  verbs.query({
    id: 'kstar:query_skills',
    method: 'skills.query',
    summary: 'Lists skills by filters and order, newest first unless asked otherwise.',
  }),
  writeVerb({
    id: 'kstar:update_skill_maturity',
    impact: 'changes',
    method: 'skills.recordOutcome',
    summary: 'Notes that a skill was used and whether it worked; its success rate and level follow.',
    input: z.strictObject({ skillName: name, outcome: z.boolean() }),
    output: z.object({
      id: z.string(),
      /** Level before this use. */
      from: z.enum(skillLevels),
      maturity: skill.shape.maturity,
    }),
    run({ skillName, outcome }, at) {
      const { skill: storedSkill } = findSkill(skillName, at.records)
      if (!storedSkill) throw notFound('skill', skillName.slice(0, 80), 'skillName')
      needUnderstood(skillKind, storedSkill)
      const maturity = recordUse(storedSkill.maturity, outcome, at.call.now)
      const body = { ...(bodyOf(storedSkill) as unknown as SkillBody), maturity }
      const id = at.records.put({ kind: 'skill', id: storedSkill.id, body: body as unknown as JsonObject })
      return { id, from: storedSkill.maturity.level, maturity }
    },
  }),
] as const
