// The verbs of skills: store under a name, get, query, and what came of using one.
import { z } from 'zod'
import { defineCapability } from '../../core/capability/capability.ts'
import { DaybookError } from '../../core/errors.ts'
import type { JsonObject } from '../../core/json/path.ts'
import type { RecordName } from '../../core/put-request.ts'
import type { RecordReader } from '../../core/capability/port/record-port.ts'
import { bodyOf, type Stored } from '../../core/record.ts'
import { needUnderstood } from '../../core/capability/understood.ts'
import { afterUse } from './maturity.ts'
import { skillNames } from './skill-name.ts'
import { splitScope } from './own-scope.ts'
import { name, receipt, recordPage, recordQuery } from './record-schema.ts'
import { skillKind } from './skill-kind.ts'
import { type Skill, skill, type SkillBody, skillInput, skillLevels } from './skill-schema.ts'

function asSkill(record: Stored<JsonObject> | undefined): Skill | undefined {
  return record?.kind === 'skill' ? (record as unknown as Skill) : undefined
}

/** The skill of a name, and what the book knows it by. */
function findSkill(
  name: string,
  { find }: Pick<RecordReader, 'find'>,
): { readonly known: RecordName; readonly skill: Skill | undefined } {
  const names = skillNames(name)
  for (const known of names) {
    const found = asSkill(find(known))
    if (found) return { known, skill: found }
  }
  return { known: names[0], skill: undefined }
}

export const skillCapabilities = [
  defineCapability({
    id: 'kstar:store_skill',
    permission: 'write',
    methods: ['skills.store'],
    summary: 'Stores how something is done, under a name that is unique in the book.',
    input: skillInput,
    output: receipt,
    effect: 'write',
    uses: ['records'],
    run(input, at) {
      const { scope, rest } = splitScope(input)
      const { replace, maturity, ...body } = rest
      const { known, skill: before } = findSkill(body.name, at.records)
      if (before && !replace) {
        const message = `There is a skill \`${body.name.slice(0, 80)}\` already; pass replace: true to change it.`
        throw new DaybookError('conflict', message, { details: { path: 'name', id: before.id } })
      }
      if (before) needUnderstood(skillKind, before)
      const grown = maturity ?? before?.maturity ?? { level: 'novice', success_rate: 0, usage_count: 0 }
      const id = at.records.put({
        kind: 'skill',
        name: known,
        body: { ...body, maturity: grown } as unknown as JsonObject,
        scope,
        checked: true,
      })
      return { id, stored_at: at.call.now, durability: at.call.durability }
    },
  }),
  defineCapability({
    id: 'kstar:get_skill',
    permission: 'read',
    methods: ['skills.get'],
    summary: 'Reads the skill of a name, or null when there is none.',
    input: z.strictObject({ skill_name: name }),
    output: skill.nullable(),
    effect: 'read',
    uses: ['records'],
    run: ({ skill_name }, at) => findSkill(skill_name, at.records).skill ?? null,
  }),
  defineCapability({
    id: 'kstar:query_skills',
    permission: 'read',
    methods: ['skills.query'],
    summary: 'Lists skills by filters and order, newest first unless asked otherwise.',
    input: recordQuery.prefault({}),
    output: recordPage(skill),
    effect: 'read',
    uses: ['records'],
    run({ order_by: orderBy, ...query }, at) {
      const found = at.records.query({ ...query, kind: 'skill', orderBy })
      return { ...found, records: found.records as unknown as Skill[] }
    },
  }),
  defineCapability({
    id: 'kstar:update_skill_maturity',
    permission: 'write',
    methods: ['skills.recordOutcome'],
    summary: 'Notes that a skill was used and whether it worked; its success rate and level follow.',
    input: z.strictObject({ skill_name: name, outcome: z.boolean() }),
    output: z.object({
      id: z.string(),
      /** The level before this use. */
      from: z.enum(skillLevels),
      maturity: skill.shape.maturity,
    }),
    effect: 'write',
    uses: ['records'],
    run({ skill_name, outcome }, at) {
      const { skill: found } = findSkill(skill_name, at.records)
      if (!found) {
        throw new DaybookError('not-found', `There is no skill \`${skill_name.slice(0, 80)}\`.`, {
          details: { path: 'skill_name' },
        })
      }
      needUnderstood(skillKind, found)
      const maturity = afterUse(found.maturity, outcome, at.call.now)
      const body = { ...(bodyOf(found) as unknown as SkillBody), maturity }
      const id = at.records.put({ kind: 'skill', id: found.id, body: body as unknown as JsonObject })
      return { id, from: found.maturity.level, maturity }
    },
  }),
] as const
