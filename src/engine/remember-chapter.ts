// The chapter of `remember`: one verb that chooses which memory a text becomes, and stores it by that memory's own verb.
// Invariant: it stores nothing that the caller could not store by those verbs, and never a standing rule.
import { z } from 'zod'
import { defineChapter } from '../core/capability/chapter.ts'
import type { CallPort, WriteContext } from '../core/capability/context.ts'
import { defined } from '../core/defined.ts'
import { DaybookError, invalidInput } from '../core/errors.ts'
import { parseWith } from '../core/schema.ts'
import { sensitivities } from '../core/sealed.ts'
import { sentencesOf } from '../core/text/content-word.ts'
import { classifyByPatterns } from '../memory/consent/memory/classify.ts'
import { memoryCapabilities } from '../memory/consent/memory/memory-capability.ts'
import { maxContentLength } from '../memory/consent/memory/memory-schema.ts'
import { findHiddenCharacters } from '../memory/consent/proposal/hidden-text.ts'
import { findRuleCandidates } from '../memory/consent/rule/find-candidate.ts'
import { findInSentence } from '../memory/conversation/profile/user-fact.ts'
import { perceptionCapabilities } from '../memory/kstar/perception.ts'
import { timeInZone } from '../shape/field.ts'
import { stored } from '../shape/receipt.ts'
import { writeVerb } from '../shape/record-verbs.ts'
import { someText } from '../shape/sound-text.ts'

const [storePerception] = perceptionCapabilities
const [storeMemory] = memoryCapabilities

/** Statements of a text about its speaker. */
const statementsIn = (text: string) => sentencesOf(text).flatMap((sentence) => findInSentence(sentence))

/** The category of a memory: `a2p:health` is restricted, so it is sealed; the other is the usual one of a proposal. */
const categoryOf = (text: string): string =>
  statementsIn(text).some(({ attribute }) => /^(?:health|allergic to)/.test(attribute))
    ? 'a2p:health'
    : 'a2p:context'

const input = z.strictObject({
  text: someText(200_000).refine((text) => text.trim() !== '', 'is empty'),
  /** Its subject, such as a person or a project. */
  about: z.string().min(1).max(1000).optional(),
  /** The start of its validity, such as that of a new job. */
  from: timeInZone.optional(),
  /** The end of its validity; a bare date means the end of its day. */
  until: timeInZone.optional(),
  /** Chooses the kind in place of the rules. */
  as: z.enum(['perception', 'memory']).optional(),
  sensitivity: z.enum(sensitivities).optional(),
  /** True: an agent notes it, also on the owner's own handle, so it becomes no memory of the user. */
  byAgent: z.boolean().default(false),
  /** True: the caller confirms the invisible characters in the text. */
  despiteHidden: z.boolean().default(false),
})
type Input = z.output<typeof input>

interface Choice {
  readonly kind: 'perception' | 'memory'
  readonly why: string
  readonly hint?: string
}

const isFromOwner = ({ byAgent }: Input, { caller, namesAgent }: CallPort): boolean =>
  caller.role === 'owner' && !namesAgent && !byAgent

/** Throws `invalid-input` for invisible characters. Words that mix scripts (`ΔT`) are visible. */
function assertVisible({ text, despiteHidden }: Input): void {
  if (despiteHidden) return
  const first = findHiddenCharacters(text).find(({ character }) => !character.startsWith('mixed scripts'))
  if (!first) return
  throw invalidInput(
    'text',
    `It has invisible characters (${first.character} at ${first.at}); remove them, or pass despiteHidden: true`,
  )
}

/** Throws for a memory that the caller may not store, or that can't have these fields. */
function assertMemory(one: Input, call: CallPort): void {
  if (!isFromOwner(one, call))
    throw new DaybookError(
      'forbidden',
      '`as`: Only the user stores a memory. Propose it with `proposals.propose`, or store a perception.',
      { details: { path: 'as', reason: 'proposer' } },
    )
  const { text } = one
  if (text.length > maxContentLength)
    throw invalidInput('text', `A memory has at most ${maxContentLength} characters`)
  const path = (['about', 'from', 'until'] as const).find((field) => one[field] !== undefined)
  if (path !== undefined)
    throw invalidInput(path, 'A memory has no such field; leave it out, or store a perception')
}

const ruleHint =
  'It may be a standing rule, which only the user sets: propose it with `proposals.propose({ content, rule: {} })`.'

/** The first rule that fits decides. The page `docs/which-memory.md` lists them. */
function choose(one: Input, call: CallPort): Choice {
  const { text, as, about, from, until } = one
  if (as === 'memory') assertMemory(one, call)
  if (as !== undefined) return { kind: as, why: 'The caller chose the kind.' }
  const isOwner = isFromOwner(one, call)
  if (findRuleCandidates(text).length > 0) {
    if (!isOwner) return { kind: 'perception', why: 'An agent noted it.', hint: ruleHint }
    throw new DaybookError(
      'invalid-input',
      '`text`: It is a standing rule. Set it with `rules.add({ text })`, or pass `as` to store it as another memory.',
      { details: { path: 'text', reason: 'rule', verb: 'rules.add' } },
    )
  }
  if (about !== undefined) return { kind: 'perception', why: 'It has a subject.' }
  if (until !== undefined) return { kind: 'perception', why: 'It is true until a time.' }
  if (from !== undefined) return { kind: 'perception', why: 'It is true from a time on.' }
  if (!isOwner) return { kind: 'perception', why: 'An agent noted it.' }
  const isOfUser = text.length <= maxContentLength && statementsIn(text).length > 0
  return isOfUser
    ? { kind: 'memory', why: 'The user says something about themselves.' }
    : { kind: 'perception', why: 'It is not about the user.' }
}

function store({ kind }: Choice, one: Input, at: WriteContext<'records' | 'own'>) {
  const { text: content, about: subject, from: valid_from, until: valid_until, sensitivity } = one
  if (kind === 'memory') {
    const { memory_type } = classifyByPatterns(content)
    const fields = defined({ content, category: categoryOf(content), memory_type, sensitivity })
    return storeMemory.run(parseWith(storeMemory.input, fields), at)
  }
  const trust = one.byAgent ? ('agent' as const) : undefined
  const fields = defined({ content, subject, valid_from, valid_until, sensitivity, trust })
  return storePerception.run(parseWith(storePerception.input, fields), at)
}

export const rememberChapter = defineChapter({
  name: 'remember',
  capabilities: [
    writeVerb({
      id: 'daybook:remember',
      method: 'remember',
      summary: 'Stores a text as the memory that fits it, and says which: a belief, or a memory of the user.',
      input,
      output: z.object({
        id: z.string(),
        kind: z.enum(['perception', 'memory']),
        /** The rule that decided, as a sentence. */
        why: z.string(),
        /** A better place for the text, if there is one. */
        hint: z.string().optional(),
        ...stored,
      }),
      uses: ['records', 'own'],
      run(one, at) {
        assertVisible(one)
        const choice = choose(one, at.call)
        const { id, storedAt, durability } = store(choice, one, at)
        return { id, ...choice, storedAt, durability }
      },
    }),
  ],
  kinds: [],
})
