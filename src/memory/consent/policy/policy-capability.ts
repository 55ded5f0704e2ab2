// The verbs of policies: set, list, remove. Only the owner may call them.
import { hashId } from '../../../core/text/name-id.ts'
import { z } from 'zod'
import { defineCapability } from '../../../core/capability/capability.ts'
import type { CallPort } from '../../../core/capability/context.ts'
import type { RecordPage, RecordReader } from '../../../core/capability/port/record-port.ts'
import { defined } from '../../../core/defined.ts'
import { DaybookError, invalidInput } from '../../../core/errors.ts'
import type { JsonObject } from '../../../core/json/path.ts'
import { bodyOf } from '../../../core/record.ts'
import { endingOf } from '../../../core/zone.ts'
import { instantOrDay } from '../../../shape/field.ts'
import { agentPattern } from './agent-pattern.ts'
import { conditionShape, withBookZone } from './policy-condition.ts'
import { memoryScopes } from './memory-scope.ts'
import { levelList, policyBody, priority } from './policy-kind.ts'
import { policyId, policyOutput, toPolicy } from './policy-output.ts'
import { someText } from '../../../shape/sound-text.ts'

const policyInput = z
  .strictObject({
    /** Id of the policy to replace as a whole. Default: a new policy. */
    id: policyId.optional(),
    name: someText(100).optional(),
    description: someText(500).optional(),
    /** Agents of the policy: a name or a DID, in which `*` matches any number of characters, and `?` one. */
    forAgents: agentPattern,
    /** Scopes of memories that may be read, and scopes that may never be read; each with everything below it. */
    allow: memoryScopes.default([]),
    deny: memoryScopes.default([]),
    /** Permission levels: each includes those below it, and a reading level limits reading. */
    permissions: levelList,
    conditions: z.strictObject(conditionShape).optional(),
    /** A lower value takes precedence; 0 has the highest precedence. */
    priority: priority.default(100),
    /** False: the policy is stored, without effect. */
    enabled: z.boolean().default(true),
    /** A bare date means the end of its day. */
    expiresAt: instantOrDay.optional(),
  })
  .refine(
    ({ allow, deny, permissions }) =>
      allow.length > 0 || deny.length > 0 || permissions.every((level) => level === 'none'),
    {
      path: ['allow'],
      message: 'is empty: pass scopes to allow or deny, or the permission `none` to exclude the agent',
    },
  )

function expiryOf(expiresAt: string | undefined, { now, zone }: CallPort): string | undefined {
  if (expiresAt === undefined) return undefined
  const end = endingOf(expiresAt, zone)
  if (end > now) return end
  throw invalidInput('expiresAt', 'It is in the past')
}

export const policyCapabilities = [
  defineCapability({
    id: 'consent:set_policy',
    methods: ['consent.setPolicy'],
    summary:
      'Sets which agents may read which memories, how much and when; with an id, replaces that policy.',
    input: policyInput,
    output: z.object({
      id: z.string(),
      /** False if the policy existed and was replaced. */
      created: z.boolean(),
    }),
    effect: 'write',
    uses: ['records'],
    run({ id: replacedId, expiresAt, conditions, ...fields }, at) {
      const expiryTime = expiryOf(expiresAt, at.call)
      const body = {
        ...fields,
        ...(conditions ? { conditions: withBookZone(conditions, at.call.zone) } : {}),
        ...defined({ expiresAt: expiryTime }),
        setAt: at.call.now,
      } as JsonObject
      const existing = replacedId === undefined ? undefined : at.records.get(replacedId)
      if (replacedId !== undefined && existing?.kind !== 'policy') throw policyNotFound()
      const id = replacedId ?? hashId('policy', 'policy', JSON.stringify(body))
      at.records.put({ kind: 'policy', id, body, exact: true })
      return { id, created: replacedId === undefined }
    },
  }),
  defineCapability({
    id: 'consent:list_policies',
    methods: ['consent.policies'],
    summary: 'Lists the policies, in the order of their priority.',
    input: z
      .strictObject({
        /** Only policies that match this agent. */
        agent: someText(1000).optional(),
      })
      .prefault({}),
    output: z.object({ policies: z.array(policyOutput) }),
    effect: 'read',
    // consent: its `decide`, to find the policies of `agent`.
    uses: ['records', 'consent'],
    run({ agent }, at) {
      const matched = agent === undefined ? undefined : new Set(at.consent.decide(agent).matched)
      // Leaves out policies of another shape, which a later version may have stored.
      const policies = listPolicyRecords(at.records)
        .filter((record) => policyBody.safeParse(bodyOf(record)).success)
        .filter(({ id }) => matched === undefined || matched.has(id))
        .map((record) => toPolicy(record, at.call.now))
      return { policies: policies.toSorted((a, b) => a.priority - b.priority || (a.id < b.id ? -1 : 1)) }
    },
  }),
  defineCapability({
    id: 'consent:remove_policy',
    methods: ['consent.removePolicy'],
    summary: 'Removes a policy: memories that it alone allowed are unreadable from the next call on.',
    input: z.strictObject({ id: policyId }),
    output: z.object({ removed: z.boolean() }),
    effect: 'write',
    uses: ['records'],
    run({ id }, at) {
      if (at.records.get(id)?.kind !== 'policy') return { removed: false }
      return { removed: at.records.forget(id) }
    },
  }),
] as const

/** The records of all policies, read in pages. */
function listPolicyRecords({ query }: Pick<RecordReader, 'query'>): RecordPage['records'] {
  const records: RecordPage['records'] = []
  for (let cursor: string | undefined; ;) {
    const page = query({ kind: 'policy', limit: 1000, cursor })
    records.push(...page.records)
    cursor = page.cursor
    if (cursor === undefined) return records
  }
}

function policyNotFound(): DaybookError {
  return new DaybookError('not-found', 'There is no policy of this id.', { details: { path: 'id' } })
}
