// Every kind that tells a part of its bodies from the rest of them: the laws that hold for each, over any body at all.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Kind, settled } from '../../../src/core/kind.ts'
import { type Json, type JsonObject, isJsonObject, sameJson } from '../../../src/core/json/path.ts'
import { kinds } from '../../../src/engine/capability-table.ts'
import { splitFacts } from '../../../src/memory/conversation/profile/profile-fact.ts'
import { fitsKind } from '../../../src/sync/conflict/conflict-policy.ts'
import { mergeBodies } from '../../../src/sync/conflict/merge.ts'

const settling = [...kinds.values()].filter((kind) => kind.settle)

const time = fc.constantFrom('2026-01-31T15:00:00.000Z', '2026-02-01T00:00:00.000Z', '2025-12-24')
const anything = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<Json>
const orAnything = <Value>(value: fc.Arbitrary<Value>) => fc.oneof({ weight: 9, arbitrary: value }, anything)
const partly = (fields: Record<string, fc.Arbitrary<unknown>>) =>
  fc.record(fields, { requiredKeys: [] }) as fc.Arbitrary<JsonObject>

const skillBody = partly({
  name: orAnything(fc.constantFrom('weed', 'water')),
  description: fc.constantFrom('', 'how'),
  learned_from: fc.constant({}),
  definition: fc.constant({ procedure: 'p' }),
  maturity: orAnything(
    partly({
      level: fc.constantFrom('novice', 'competent', 'proficient', 'expert'),
      success_rate: orAnything(fc.double({ min: 0, max: 1, noNaN: true })),
      usage_count: orAnything(fc.nat(60)),
      successes: orAnything(fc.nat(60)),
      last_used: time,
      more: anything,
    }),
  ),
})
const knownFact = partly({
  attribute: fc.constantFrom('name', 'home', 'likes'),
  value: fc.constantFrom('Ada', 'Graz', 'tea'),
  since: time,
  stated_at: time,
  denied_at: time,
  messages: fc.array(fc.stringMatching(/^m[0-9]{1,3}$/), { maxLength: 60 }),
})
const profileBody = partly({
  user_id: fc.constant('ana'),
  content: fc.constantFrom('', 'name: Ada'),
  facts: orAnything(fc.dictionary(fc.constantFrom('name: ada', 'home: graz', 'likes: node.js'), knownFact)),
})
const spokenLine = fc.record({
  text: fc.constantFrom('Ada spoke once', 'Is it done?'),
  records: fc.array(fc.constantFrom('m-1', 'm-2'), { minLength: 1, maxLength: 3 }),
})
const spoken = orAnything(fc.array(spokenLine, { maxLength: 4 }))
const digestBody = partly({
  persona: fc.constant('mcp_Ada_00000000_1'),
  period: fc.constant('day'),
  period_id: fc.constantFrom('2026-01-31', '2026-02-01'),
  time_zone: fc.constant('UTC'),
  from: time,
  to: time,
  summary: spoken,
  decisions: spoken,
  open_questions: spoken,
  method: fc.constant('extractive'),
  raw: fc.nat(9),
  text: fc.constantFrom('', 'stale'),
})
const patternBody = partly({
  persona: fc.constant('mcp_Ada_00000000_1'),
  about: fc.constantFrom('Ada', 'audit'),
  type: fc.constantFrom('person', 'topic'),
  days: orAnything(fc.integer({ min: 1, max: 9 })),
  first_day: fc.constant('2026-01-31'),
  last_day: fc.constant('2026-02-01'),
  last_at: time,
  digests: fc.constant(['d-1']),
  lines: spoken,
})
const snapshotBody = partly({
  persona: fc.constant('mcp_Ada_00000000_1'),
  name: fc.constantFrom('Ada', 'Bo'),
  taken_at: time,
  focus: orAnything(fc.constantFrom('', 'the audit')),
  context: orAnything(partly({ topics: spoken, people: spoken, questions: spoken })),
})
const sessionBody = partly({
  persona: fc.constant('mcp_Ada_00000000_1'),
  started_at: time,
  state: orAnything(fc.constantFrom('open', 'ending', 'ended')),
  device: fc.constantFrom('', 'd_1'),
  in_room: fc.boolean(),
  ended_at: time,
  done: fc.subarray(['snapshot', 'digest', 'consolidation', 'leave']),
})
const decision = partly({
  round: orAnything(fc.nat(3)),
  action: orAnything(fc.constantFrom('approve', 'reject', 'edit')),
  at: time,
  by: fc.constantFrom('ana', 'helper'),
  edited: partly({ content: fc.constant('said otherwise') }),
})
const wholeDecision = fc.record({
  round: fc.nat(3),
  action: fc.constantFrom('approve', 'reject', 'edit'),
  at: time,
  by: fc.constantFrom('ana', 'helper'),
})
const said = {
  by: fc.constantFrom('helper', 'other'),
  agentDid: fc.constant('did:a2p:agent:local:helper'),
  content: fc.constant('likes tea'),
  category: fc.constant('a2p:preferences'),
  memory_type: fc.constant('semantic'),
  confidence: fc.constant(0.5),
  proposedAt: time,
  expiresAt: time,
  status: fc.constantFrom('pending', 'approved'),
}
const decisionsOf = (one: fc.Arbitrary<unknown>) =>
  fc.dictionary(fc.stringMatching(/^[0-3]-[a-f]{1,4}$/), one)
const reopened = fc.dictionary(fc.stringMatching(/^[0-3]$/), fc.record({ at: time, by: fc.constant('ana') }))
const proposalBody = fc.oneof(
  fc.record({ ...said, decisions: decisionsOf(wholeDecision), reopened }) as fc.Arbitrary<JsonObject>,
  partly({
    ...said,
    decisions: orAnything(decisionsOf(orAnything(decision))),
    reopened: orAnything(reopened),
    withdrawn: orAnything(partly({ at: time })),
    resolution: orAnything(partly({ resolvedAt: time })),
  }),
)
const memoryFields = {
  content: fc.constantFrom('likes tea', 'likes jazz'),
  category: fc.constant('a2p:preferences'),
  memory_type: fc.constant('semantic'),
  confidence: fc.constantFrom(0.2, 0.8),
  status: fc.constantFrom('approved', 'archived', 'rejected'),
  source: fc.constant({ type: 'user_manual', timestamp: '2025-12-24' }),
}
const memoryMeta = partly({ archivedAt: time, lastConfirmed: time, approvedAt: time })
const memoryBody = fc.oneof(
  fc.record(
    { ...memoryFields, metadata: memoryMeta, faded: fc.boolean(), flagged: fc.boolean(), flaggedAt: time },
    { requiredKeys: ['content', 'category', 'memory_type', 'confidence', 'status', 'source', 'metadata'] },
  ) as fc.Arbitrary<JsonObject>,
  partly({
    ...memoryFields,
    metadata: orAnything(memoryMeta),
    faded: orAnything(fc.boolean()),
    flaggedAt: anything,
  }),
)
const cast = fc.record({ vote: fc.constantFrom('yes', 'no'), at: time })
const ballotBody = partly({
  claw: fc.constant('claw:helper'),
  by: fc.constant('helper'),
  group: fc.constant('crew'),
  proposal: fc.constant('p-1'),
  votes: orAnything(fc.dictionary(fc.stringMatching(/^[1-9]$/), cast)),
  vote: fc.constantFrom('yes', 'no'),
  n: fc.nat(9),
  castAt: time,
})
const statement = {
  subject: fc.constantFrom('db', 'disk'),
  predicate: fc.constant('is'),
  object: fc.constantFrom('full', 'well'),
  tags: fc.constant(['ops']),
  publishedAt: time,
}
const factVersion = fc.record({
  ...statement,
  proposal: fc.constant('p-1'),
  decision: fc.constant('d-1'),
  source: fc.constant('claw:helper'),
  yes: fc.nat(5),
  no: fc.nat(5),
})
const poolFactBody = partly({
  ...statement,
  claw: fc.constant('claw:helper'),
  by: fc.constant('helper'),
  group: fc.constant('crew'),
  fact: fc.constant('f-1'),
  home: fc.constant('claw:helper'),
  homeDevice: fc.constant('d_1'),
  versions: orAnything(fc.dictionary(fc.stringMatching(/^[1-9]$/), factVersion)),
  version: fc.integer({ min: 1, max: 9 }),
  votes: fc.record({ yes: fc.nat(5), no: fc.nat(5) }),
})
const bodies: Readonly<Record<string, fc.Arbitrary<JsonObject>>> = {
  skill: skillBody,
  pool_ballot: ballotBody,
  pool_fact: poolFactBody,
  profile: profileBody,
  proposal: proposalBody,
  digest: digestBody,
  pattern: patternBody,
  snapshot: snapshotBody,
  agent_session: sessionBody,
  memory: memoryBody,
}

/** As the writer stores it: a body that fits comes with its defaults. */
const whole = (kind: Kind, body: JsonObject) =>
  settled(kind, (kind.schema['~standard'].validate(body) as { value?: JsonObject }).value ?? body)

describe('what follows from the rest of a body', () => {
  it('is known for skills, profiles, memories, proposals, what is told of days, and what a pool votes on', () => {
    const told = [
      'agent_session',
      'digest',
      'memory',
      'pattern',
      'pool_ballot',
      'pool_fact',
      'profile',
      'proposal',
      'skill',
      'snapshot',
    ]
    expect(settling.map(({ name }) => name).toSorted()).toEqual(told)
  })

  it('is told of a body whatever stands in the place of a number or a text', () => {
    const noText = { toString: null }
    const pattern = kinds.get('pattern')
    const body = { about: 'Ada', days: noText, lines: [{ text: noText }] }
    expect(pattern && settled(pattern, body)['text']).toBe('Ada: on  days from  to \n- ')
    expect(kinds.get('document')?.idOf?.({ folder: noText, key: 'k' })).toContain('document::')
  })

  describe.each(settling.map((kind) => [kind.name, kind] as const))('%s', (name, kind) => {
    const body = fc.oneof(
      { weight: 9, arbitrary: bodies[name] ?? fc.constant({}) },
      fc.dictionary(fc.string(), anything) as fc.Arbitrary<JsonObject>,
    )

    it('C14 settling twice says what settling once says', () => {
      fc.assert(
        fc.property(body, (one) => {
          const once = settled(kind, one)
          expect(settled(kind, once)).toEqual(once)
        }),
        { numRuns: 1000 },
      )
    })

    it('C14 makes no body that its kind refuses, and takes nothing away that it does not know', () => {
      let fitting = 0
      fc.assert(
        fc.property(body, (one) => {
          const told = settled(kind, { ...one, 'a later field': 1 })
          expect(told['a later field']).toBe(1)
          if (!fitsKind(kind, one)) return
          fitting += 1
          expect(fitsKind(kind, told)).toBe(true)
        }),
        { numRuns: 1000 },
      )
      expect(fitting).toBeGreaterThan(20)
    })

    it('C14 is the same after a merge, whichever side is called mine, and fits where both did', () => {
      fc.assert(
        fc.property(body, body, body, (...three) => {
          const [base, one, other] = three.map((each) => whole(kind, each)) as [
            JsonObject,
            JsonObject,
            JsonObject,
          ]
          const join = (mine: JsonObject, theirs: JsonObject, mineIsLater: boolean) =>
            settled(kind, mergeBodies({ base, mine, theirs, rules: kind.merge, mineIsLater }).body)
          const here = join(one, other, true)
          expect(sameJson(here, join(other, one, false))).toBe(true)
          const isSound = [base, one, other].every((each) => fitsKind(kind, each))
          if (isSound && isJsonObject(here['maturity']))
            expect(here['maturity']['success_rate']).toBeLessThanOrEqual(1)
        }),
        { numRuns: 1000 },
      )
    })
  })

  it('two devices that learned apart from each other have a profile that tells all of it', () => {
    const kind = kinds.get('profile')
    const known = (attribute: string, value: string, at: string) => ({
      [`${attribute}: ${value.toLowerCase()}`]: { attribute, value, since: at, stated_at: at, messages: [] },
    })
    const base = settled(kind, { user_id: 'ana', content: '', facts: known('name', 'Ada', '2026-01-01') })
    const add = (...more: object[]) =>
      settled(kind, { ...base, facts: Object.assign({}, base['facts'], ...more) as JsonObject })
    const phone = add(known('home', 'Graz', '2026-01-02'), known('name', 'Ada', '2026-01-03'))
    const laptop = add(known('likes', 'tea', '2026-01-02'), known('name', 'Ada', '2026-01-04'))
    const { body, clashes } = mergeBodies({
      base,
      mine: phone,
      theirs: laptop,
      rules: kind?.merge,
      mineIsLater: true,
    })
    expect(clashes).toEqual([])
    const met = settled(kind, body)
    expect(met['content']).toBe('name: Ada\nhome: Graz\nlikes: tea')
    const { current } = splitFacts(met['facts'] as never)
    expect(current.map(({ value, stated_at }) => [value, stated_at])).toEqual([
      ['Ada', '2026-01-04'],
      ['Graz', '2026-01-02'],
      ['tea', '2026-01-02'],
    ])
  })
})
