// The verbs of standing rules: add, list, edit, pause, remove, find. Only the owner may write; a caller with the right
// to read lists the rules that apply to it.
import { z } from 'zod'
import { defineCapability } from '../../../core/capability/capability.ts'
import type { CallPort, WriteContext } from '../../../core/capability/context.ts'
import { defined } from '../../../core/defined.ts'
import { invalidInput, notFound } from '../../../core/errors.ts'
import { type JsonObject, sameJson } from '../../../core/json/path.ts'
import { bodyOf } from '../../../core/record.ts'
import { rulesInForce, usualPriority } from '../../../core/standing-rule.ts'
import { endingOf } from '../../../core/zone.ts'
import { instantOrDay, recordId } from '../../../shape/field.ts'
import { readVerb } from '../../../shape/record-verbs.ts'
import { priority } from '../policy/policy-kind.ts'
import { findHiddenCharacters } from '../proposal/hidden-text.ts'
import { proposeRules } from './propose-rules.ts'
import { type RuleBody, ruleScope, ruleText } from '../rule-kind.ts'

type RuleContext = WriteContext<'records'>
type Rule = RuleBody & { readonly id: string; readonly created_at: string }

/** True: the owner confirms the invisible characters in the text. */
const despiteHidden = z.boolean().default(false)

/** Throws `invalid-input` for invisible characters: they may carry words that the owner never saw. */
function assertVisible(text: string, isConfirmed: boolean): void {
  const [first] = findHiddenCharacters(text)
  if (!first || isConfirmed) return
  throw invalidInput(
    'despiteHidden',
    `The text has invisible characters (${first.character} at ${first.at}); pass despiteHidden: true, or remove them`,
  )
}

function endOf(validUntil: string | undefined, { now, zone }: CallPort): string | undefined {
  if (validUntil === undefined) return undefined
  const end = endingOf(validUntil, zone)
  if (end > now) return end
  throw invalidInput('valid_until', 'It is in the past')
}

function requireRule({ records }: RuleContext, id: string): Rule {
  const record = records.get(id)
  if (record?.kind !== 'rule') throw notFound('rule', id)
  return record as unknown as Rule
}

function putRule({ records }: RuleContext, body: object, id?: string): string {
  return records.put({ kind: 'rule', ...defined({ id }), body: defined(body) as JsonObject, exact: true })
}

const ended = { expired: true }

/** The rule with the same text and scope, also a paused one. */
function findSame({ records }: RuleContext, { text, scope = {} }: Pick<RuleBody, 'text' | 'scope'>) {
  const page = records.query({ kind: 'rule', filters: { text }, limit: 1000 })
  return page.records.find((rule) => sameJson((rule['scope'] ?? {}) as JsonObject, scope as JsonObject))
}

const idInput = z.strictObject({ id: recordId })

export const ruleCapabilities = [
  defineCapability({
    id: 'rule:add',
    methods: ['rules.add'],
    summary: 'Adds a standing rule of the user, in the user’s words: every context contains it as a whole.',
    input: z.strictObject({
      text: ruleText,
      /** The rule applies only to calls of this agent, session and resource. */
      scope: ruleScope.optional(),
      /** A lower value comes first. */
      priority: priority.default(usualPriority),
      /** A bare date means the end of its day. */
      valid_until: instantOrDay.optional(),
      despiteHidden,
    }),
    output: z.object({
      id: z.string(),
      /** False: there is such a rule. */
      created: z.boolean(),
    }),
    effect: 'write',
    uses: ['records'],
    run({ despiteHidden: isConfirmed, ...rule }, at) {
      assertVisible(rule.text, isConfirmed)
      const valid_until = endOf(rule.valid_until, at.call)
      const same = findSame(at, rule)
      return same
        ? { id: same.id, created: false }
        : { id: putRule(at, { ...rule, valid_until }), created: true }
    },
  }),
  readVerb({
    id: 'rule:list',
    method: 'rules.list',
    summary:
      'Lists the standing rules: the owner all of them, a guest those in force for it, the first to follow first.',
    input: z
      .strictObject({
        /** True: only rules in force for the scope of the call, as `context` has them. */
        inForce: z.boolean().default(false),
      })
      .prefault({}),
    output: z.object({
      rules: z.array(
        z.object({
          id: z.string(),
          text: z.string(),
          state: z.enum(['active', 'paused', 'ended']),
          priority: z.number(),
          scope: ruleScope.optional(),
          valid_until: z.string().optional(),
          created_at: z.string(),
          /** Id of the proposal that the owner approved. */
          proposal: z.string().optional(),
        }),
      ),
    }),
    run({ inForce }, at) {
      if (inForce || at.call.caller.role === 'guest') {
        const rules = rulesInForce(at.records.rules, at.call.scope, at.call.now) as unknown as Rule[]
        return { rules: rules.map((rule) => shown(rule, at.call)) }
      }
      const all = at.records.query({
        kind: 'rule',
        include: ended,
        orderBy: ['created_at', 'id'],
        limit: 10_000,
      })
      const list = (all.records as unknown as Rule[]).map((rule) => shown(rule, at.call))
      return { rules: list.sort((a, b) => a.priority - b.priority) }
    },
  }),
  defineCapability({
    id: 'rule:edit',
    methods: ['rules.edit'],
    summary: 'Changes a standing rule; null removes a field.',
    input: z
      .strictObject({
        id: recordId,
        text: ruleText.optional(),
        scope: ruleScope.nullish(),
        priority: priority.nullish(),
        valid_until: instantOrDay.nullish(),
        despiteHidden,
      })
      .refine(
        ({ text, scope, priority, valid_until }) =>
          [text, scope, priority, valid_until].some((field) => field !== undefined),
        {
          path: ['text'],
          message: 'Pass a field to change',
        },
      ),
    output: idInput,
    effect: 'write',
    uses: ['records'],
    run({ id, despiteHidden: isConfirmed, ...change }, at) {
      if (change.text !== undefined) assertVisible(change.text, isConfirmed)
      const valid_until = change.valid_until === null ? null : endOf(change.valid_until, at.call)
      const body = { ...bodyOf(requireRule(at, id)), ...defined({ ...change, valid_until }) }
      putRule(at, Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null)), id)
      return { id }
    },
  }),
  defineCapability({
    id: 'rule:pause',
    methods: ['rules.pause'],
    summary: 'Pauses a standing rule, or with `paused: false` lets it apply again.',
    input: z.strictObject({ id: recordId, paused: z.boolean().default(true) }),
    output: z.object({ id: z.string(), paused: z.boolean() }),
    effect: 'write',
    uses: ['records'],
    run({ id, paused }, at) {
      const { paused: _before, ...body } = bodyOf(requireRule(at, id))
      putRule(at, paused ? { ...body, paused } : body, id)
      return { id, paused }
    },
  }),
  defineCapability({
    id: 'rule:forget',
    methods: ['rules.remove'],
    summary: 'Forgets a standing rule.',
    input: idInput,
    output: z.object({ removed: z.boolean() }),
    effect: 'write',
    uses: ['records'],
    run: ({ id }, at) => ({
      removed: at.records.get(id)?.kind === 'rule' && at.records.forget(id),
    }),
  }),
  defineCapability({
    id: 'rule:find',
    methods: ['rules.find'],
    summary:
      'Proposes what users said as standing rules ("always", "never", "from now on"), with the quote; a person decides. Runs daily.',
    input: z
      .strictObject({
        /** Only messages stored since then. Default: the last two days. */
        since: instantOrDay.optional(),
      })
      .prefault({}),
    output: z.object({
      /** Ids of the new proposals. */
      proposals: z.array(z.string()),
    }),
    runs: 'device',
    effect: 'write',
    uses: ['records', 'own'],
    run: ({ since }, at) => ({ proposals: proposeRules(at, since) }),
  }),
] as const

function shown(rule: Rule, { now, caller }: CallPort) {
  const { id, text, scope, priority = usualPriority, valid_until, created_at, paused, proposal } = rule
  const isEnded = valid_until !== undefined && valid_until <= now
  return {
    id,
    text,
    state: paused === true ? ('paused' as const) : isEnded ? ('ended' as const) : ('active' as const),
    priority,
    created_at,
    ...defined({
      scope: scope && { ...scope },
      valid_until,
      proposal: caller.role === 'guest' ? undefined : proposal,
    }),
  }
}
