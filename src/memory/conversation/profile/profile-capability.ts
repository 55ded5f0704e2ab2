// The verbs of profiles: learn from a conversation, and tell what is known of a user.
import { z } from 'zod'
import { defineCapability } from '../../../core/capability/capability.ts'
import type { ReadContext, TaskContext } from '../../../core/capability/context.ts'
import { DaybookError } from '../../../core/errors.ts'
import type { JsonObject } from '../../../core/json/path.ts'
import { isSealing } from '../../../core/sealed.ts'
import { scopeName } from '../../../shape/scope-name.ts'
import { scopeOf } from '../message/conversation-scope.ts'
import { history, isUser, type Line } from '../message/history.ts'
import { keptFromModel } from '../../../shape/llm/ask.ts'
import { askFacts } from './ask-fact.ts'
import { factsLeft } from './facts-left.ts'
import { factsWithoutGone } from './release-fact.ts'
import { type DatedStatement, type Facts, learn, tell, writeProfile } from './profile-fact.ts'
import { needUnderstood } from '../../../core/capability/understood.ts'
import { profileKind } from './profile-kind.ts'
import { type Profile, profileLimit } from './profile-schema.ts'
import { createLineMessages, lineKeys } from '../message/line-message.ts'
import { profileOf } from '../record-name.ts'
import { findStatements } from './user-fact.ts'

const fact = z.object({
  attribute: z.string(),
  value: z.string(),
  since: z.string(),
  said_at: z.string(),
  messages: z.array(z.string()).readonly(),
  superseded_at: z.string().optional(),
  /** What holds instead; absent when it was only denied. */
  superseded_by: z.string().optional(),
})

const userId = z.string().max(1000)

interface Found {
  readonly statements: readonly (DatedStatement & { readonly line: Line })[]
  readonly degraded?: string
}

/** What the lines of one user say, by the model if there is one that answers. */
async function learnFrom(
  { call: { signal, attempt, now }, recall: { llm }, records }: TaskContext<'records' | 'recall'>,
  agent: string,
  lines: readonly Line[],
): Promise<Found> {
  const messagesOf = createLineMessages({ records }, agent, lines)
  const isSealed = (id: string) => isSealing(records.get(id)?.sensitivity)
  const isKept = llm && !llm.takesSensitive && lines.some((line) => messagesOf(line).some(isSealed))
  const asked = llm && (isKept ? { failed: keptFromModel, retry: false } : await askFacts(llm, lines, signal))
  if (asked?.failed !== undefined && asked.retry && attempt && !attempt.isLast) {
    throw new DaybookError('model-unavailable', asked.failed)
  }
  const found = asked?.failed === undefined && asked ? asked.value.found : findStatements(lines)
  const statements = found.map(({ statement, line }) => ({ ...statement, at: line.timestamp ?? now, line }))
  return { statements, ...(asked?.failed === undefined ? {} : { degraded: asked.failed }) }
}

function findProfile(
  { records }: ReadContext<'records'>,
  agent: string,
  user: string | undefined,
): Profile | undefined {
  const named = records.find(profileOf(agent, user ?? ''))
  const [latest] =
    named || user !== undefined
      ? [named]
      : records.query({ kind: 'profile', filters: { agent }, orderBy: '-updated_at', limit: 1 }).records
  return latest as unknown as Profile | undefined
}

/** The facts of a profile; of an outdated one, which waits to be told anew, what will be left of them. */
function currentFacts(at: ReadContext<'records'>, { id, facts = {} }: Profile): Facts {
  const { records } = at.records.query({ kind: 'profile', filters: { id }, limit: 1 })
  return records.length > 0 ? facts : factsLeft(at, facts, at.records.goneKeys(id))
}

export const profileCapabilities = [
  defineCapability({
    id: 'ks:update_profile',
    permission: 'write',
    methods: ['conversation.updateProfile'],
    summary:
      'Learns from a conversation what users say about themselves, and adds it to their profiles; nothing known is taken out.',
    input: z.strictObject({
      agent_id: scopeName.optional(),
      /** Whose facts these are. Default: each message's own speaker, by the id of its source. */
      user_id: userId.optional(),
      history,
    }),
    output: z.object({
      ok: z.boolean(),
      profiles_updated: z.number(),
      profiles: z.array(
        z.object({ user_id: z.string(), id: z.string(), learned: z.number(), superseded: z.number() }),
      ),
      /** Whether facts were found by stated patterns or by a language model. */
      method: z.enum(['patterns', 'model']),
      /** Why patterns were used although the book has a model. */
      degraded: z.string().optional(),
    }),
    effect: 'task',
    repeatable: true,
    uses: ['records', 'recall'],
    async run({ agent_id, user_id, history: lines }, at) {
      const agent = agent_id ?? at.call.scope.agent
      const users = Map.groupBy(
        lines.filter((line) => isUser(line) && line.content !== ''),
        ({ source }) => user_id ?? source.id ?? '',
      )
      // Looked for before the model thinks: what is forgotten meanwhile makes what was learned from it outdated.
      const messagesOf = createLineMessages(at, agent, lines)
      const messages = new Map<Line, readonly string[]>(lines.map((line) => [line, messagesOf(line)]))
      const found = new Map<string, Found>()
      for (const [user, said] of users) found.set(user, await learnFrom(at, agent, said))
      const profiles = await at.records.write(({ call: { scope }, records }) =>
        [...found].flatMap(([user, { statements }]) => {
          const name = profileOf(agent, user)
          const before = records.find(name) as Profile | undefined
          if (before) needUnderstood(profileKind, before)
          const known: Facts = before ? factsWithoutGone(before.facts, records.goneKeys(before.id)) : {}
          const named = statements.map(({ line, ...one }) => {
            const ids = messages.get(line) ?? []
            return { ...one, messages: ids, lines: ids.length === 0 ? lineKeys(agent, line) : [] }
          })
          const facts = learn(known, named)
          const was = tell(known)
          const is = tell(facts)
          if (JSON.stringify(facts) === JSON.stringify(known)) return []
          if (Object.keys(facts).length > profileLimit.facts) {
            throw new DaybookError('too-large', `A profile holds at most ${profileLimit.facts} facts.`)
          }
          const body = { user_id: user, content: writeProfile(facts), facts } as unknown as JsonObject
          const id = records.put({
            kind: 'profile',
            name,
            body,
            scope: scopeOf({ agent_id: agent }, { scope }),
          })
          const learned = is.current.filter((one) => !was.current.some((other) => isSame(one, other))).length
          const superseded = is.earlier.filter((one) =>
            was.current.some((other) => isSame(one, other)),
          ).length
          return [{ user_id: user, id, learned, superseded }]
        }),
      )
      const degraded = [...found.values()].find((one) => one.degraded !== undefined)?.degraded
      const method = at.recall.llm && degraded === undefined ? ('model' as const) : ('patterns' as const)
      return {
        ok: true,
        profiles_updated: profiles.length,
        profiles,
        method,
        ...(degraded === undefined ? {} : { degraded }),
      }
    },
  }),
  defineCapability({
    id: 'ks:get_profile',
    permission: 'read',
    methods: ['conversation.profile'],
    summary: 'Tells what an agent knows of a user: what holds now as text, and every fact with its history.',
    input: z
      .strictObject({
        agent_id: scopeName.optional(),
        /** Default: the user without an id, else the one that was spoken of last. */
        user_id: userId.optional(),
      })
      .prefault({}),
    output: z.object({
      /** What holds now, a line for each attribute; empty when nothing is known. */
      profile: z.string(),
      user_id: z.string(),
      facts: z.array(fact),
      /** What was said before and holds no longer. */
      earlier: z.array(fact),
    }),
    effect: 'read',
    uses: ['records'],
    run({ agent_id, user_id }, at) {
      const found = findProfile(at, agent_id ?? at.call.scope.agent, user_id)
      if (found) needUnderstood(profileKind, found)
      const facts = found ? currentFacts(at, found) : {}
      const { current, earlier } = tell(facts)
      const profile = writeProfile(facts)
      return { profile, user_id: found?.user_id ?? user_id ?? '', facts: current, earlier }
    },
  }),
] as const

function isSame(
  one: { attribute: string; value: string },
  other: { attribute: string; value: string },
): boolean {
  return one.attribute === other.attribute && one.value === other.value
}
