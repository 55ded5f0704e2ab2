// Policies, and what they say of a memory, told once more and plainly: the oracle that decisions are held against.
import fc from 'fast-check'
import { utcZone } from '../../../src/core/zone.ts'
import { type PermissionLevel, permissionLevels } from '../../../src/core/access/governed.ts'
import type { CallCircumstances } from '../../../src/memory/consent/policy/policy-condition.ts'
import type { Policy } from '../../../src/memory/consent/policy/policy-decision.ts'

let serial = 0

export function makePolicy(over: Partial<Policy> = {}): Policy {
  return {
    id: `policy_${++serial}`,
    forAgents: '*',
    allow: [],
    deny: [],
    permissions: ['read_scoped'],
    priority: 100,
    enabled: true,
    ...over,
  }
}

/** A call from this device at noon. */
export const noon: CallCircumstances = {
  nowMs: Date.UTC(2026, 6, 1, 12),
  way: 'here',
  zone: (name) => (name === undefined || name === 'UTC' ? utcZone : undefined),
  calls: () => 1,
}

export interface Memory {
  readonly type: string
  readonly category: string
  readonly sensitivity: 'public' | 'standard' | 'sensitive' | 'restricted'
}

/** The names of a memory in scopes. */
export function namesOf({ type, category }: Pick<Memory, 'type' | 'category'>): string[] {
  const [space = '', ...rest] = category.split(':')
  const both = space === 'a2p' ? [`a2p:${type}.${rest.join(':')}`] : []
  return ['memory', `a2p:${type}`, category, ...both]
}

/** What an agent may read of a memory, said plainly: nothing unless something allows it, and nothing that anything denies. */
export function mayRead(policies: readonly Policy[], agent: string, memory: Memory): boolean {
  const own = policies.filter((one) => one.enabled && isFor(one.forAgents, agent))
  if (own.some((one) => [...one.deny, ...shut(one)].some((scope) => isIn(memory, scope)))) return false
  const naming = own.filter((one) => reads(one) && one.allow.some((scope) => isIn(memory, scope)))
  // From the first to the last: how much each place lets be read; the first that allows decides, within what came before.
  let limit = 3
  for (const priority of [0, 1, 100]) {
    const here = naming.filter((one) => one.priority === priority)
    const scopes = (some: readonly Policy[]) =>
      some.flatMap((one) => one.allow.filter((scope) => isIn(memory, scope)).map((scope) => most(one, scope)))
    const met = scopes(here.filter(isMet))
    if (met.length > 0) return rank(memory.sensitivity) <= Math.min(limit, Math.max(...met))
    limit = Math.min(limit, ...scopes(here))
  }
  return false
}

const shut = ({ permissions, allow }: Policy) =>
  permissions.some((one) => one !== 'none') ? [] : allow.length > 0 ? allow : ['a2p:*', 'ext:*']
const isMet = ({ conditions = {} }: Policy) => Object.keys(conditions).length === 0
const rank = (one: Memory['sensitivity']) => ['public', 'standard', 'sensitive', 'restricted'].indexOf(one)

const isFor = (pattern: string, agent: string) =>
  new RegExp(
    `^${[...pattern].map((one) => (one === '*' ? '[^]*' : one === '?' ? '[^]' : one.replaceAll(/\W/g, String.raw`\$&`))).join('')}$`,
  ).test(agent)

function isIn(memory: Memory, scope: string): boolean {
  const wide = scope.replace(/([:.]\*)+$/, '')
  const stars = new RegExp(
    `^${wide
      .split('*')
      .map((part) => part.replaceAll('.', String.raw`\.`))
      .join('[^:.]+')}([:.]|$)`,
  )
  return namesOf(memory).some((name) => stars.test(name))
}

function reads({ permissions }: Policy): boolean {
  return permissions.some((one) => permissionLevels.indexOf(one) > 0)
}

function most({ permissions }: Policy, scope: string): number {
  const has = (one: PermissionLevel) => permissions.includes(one)
  const isNamed =
    /^(a2p:((semantic|episodic|procedural)\.)?|ext:[^:.]+:)(?!semantic|episodic|procedural)[a-z]/.test(scope)
  const full = isNamed ? 3 : 2
  if (has('read_full')) return full
  if (has('read_scoped')) return 1
  if (has('read_public')) return 0
  return has('propose') || has('write') ? full : -1
}

export const agent = fc.constantFrom(
  'helper',
  'coach',
  'did:a2p:agent:local:coach',
  'did:a2p:agent:local:bot',
)
export const agentPatterns = fc.constantFrom(
  '*',
  'helper',
  'h*',
  '?elper',
  'did:a2p:agent:*',
  'did:a2p:agent:local:co?ch',
  '*coach',
  'nobody',
)
export const scope = fc.constantFrom(
  'a2p:*',
  'ext:*',
  'a2p:preferences',
  'a2p:preferences.*',
  'a2p:preferences.food',
  'a2p:health',
  'a2p:health.*',
  'a2p:semantic',
  'a2p:episodic',
  'a2p:episodic.*',
  'a2p:semantic.preferences',
  'a2p:semantic.health',
  'a2p:*.food',
  'ext:music:taste',
  'ext:music:*',
  'ext:music',
)
export const memory: fc.Arbitrary<Memory> = fc.record({
  type: fc.constantFrom('semantic', 'episodic', 'procedural'),
  category: fc.constantFrom(
    'a2p:preferences',
    'a2p:preferences.food',
    'a2p:preferences.food.spicy',
    'a2p:preferencesX',
    'a2p:health.sleep',
    'a2p:episodic',
    'a2p:episodic.food',
    'ext:music:taste.jazz',
    'ext:code:style',
  ),
  sensitivity: fc.constantFrom('public', 'standard', 'sensitive', 'restricted'),
})
const scopes = fc.array(scope, { maxLength: 3 })
export const policy: fc.Arbitrary<Policy> = fc.record({
  id: fc.string({ minLength: 4, maxLength: 8, unit: fc.constantFrom('a', 'b', 'c') }),
  forAgents: agentPatterns,
  allow: scopes,
  deny: fc.oneof(fc.constant([]), scopes),
  permissions: fc.uniqueArray(fc.constantFrom(...permissionLevels), { minLength: 1, maxLength: 3 }),
  priority: fc.constantFrom(0, 1, 100, 100),
  enabled: fc.boolean(),
  conditions: fc.oneof(
    { weight: 4, arbitrary: fc.constant(undefined) },
    fc.constant({ minTrustScore: 0.5 }),
    fc.constant({ requireHttps: 'yes' }),
  ),
})
export const policies = fc.array(policy, { maxLength: 8 })
