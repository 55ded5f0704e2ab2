// Seed shapes of Katra's tools (personas, memories, turns, days, meeting room), and Katra's error codes. `ci_id` is
// Katra's name for the id of a persona. `fieldNames` maps the
// capability's name of a field to the shape's.
import { z } from 'zod'
import { inputFields, type Fields, singleCallShape, type SeedShape, text, withErrorAnswer } from './shape.ts'
import type { DaybookError, ErrorCode } from '../../core/errors.ts'

const positiveInteger = z.number().int().min(1).optional()

const toMemoryList = ({ records }: Fields) => {
  const memoryList = (records as readonly Fields[]).map(
    ({ id, kind, type, content, importance, timestamp }) => ({
      id,
      type: type ?? kind,
      content,
      importance,
      timestamp,
    }),
  )
  return { memories: memoryList, count: memoryList.length }
}

const toStoredMemory = ({ id, result, importance }: Fields) => ({
  memory_id: id,
  stored: result === 'stored',
  importance,
})

/** The text of a digest; null without one. */
const digestText = (digest: unknown) => (digest === null ? null : ((digest as Fields)['text'] ?? null))

/**
 * Converts the answer of `katra:sunrise`. `day`: the day of the last digest before today; null without one.
 */
const toSunrise = ({ day, isYesterday, digest, keyEvents, open_questions }: Fields) => ({
  day,
  is_yesterday: isYesterday,
  summary: digestText(digest),
  key_events: (keyEvents as readonly Fields[]).map((event) => event['text']),
  open_questions: (open_questions as readonly Fields[]).map((question) => question['text']),
})

const toStartedSession = (answer: Fields) => ({
  session_id: answer['session'],
  also_in: answer['alsoIn'],
  ci_id: answer['ci_id'],
  sunrise: toSunrise(answer['sunrise'] as Fields),
  context: (answer['context'] as Fields | null)?.['markdown'] ?? null,
})

const registerShape: SeedShape = {
  names: ['katra_register'],
  summary:
    'Registers a persona or finds it again, and starts its session: with yesterday, and where it left off.',
  capabilities: ['katra:register', 'katra:whoami', 'katra:session_start'],
  input: inputFields({ name: text, role: text.optional() }),
  async run(input, { call }) {
    const { ci_id, isNew: is_new, sessions } = (await call('katra:register', input, 0)) as Fields
    const { session, alsoIn: also_in } = (await call('katra:whoami', { persona: ci_id }, 1)) as Fields
    // Its session is open already: there is nothing to begin.
    if (session !== null)
      return { ci_id, is_new, sessions, session_id: session, also_in, sunrise: null, context: null }
    const answer = (await call('katra:session_start', { persona: ci_id }, 2)) as Fields
    return { is_new, sessions: Number(sessions) + 1, ...toStartedSession(answer) }
  },
}

export const katraShapes = withErrorAnswer(toKatraError, [
  registerShape,
  singleCallShape({
    names: ['katra_whoami'],
    summary: 'Says which persona is awake here, and in which session.',
    capability: 'katra:whoami',
    input: inputFields({}),
    toShapeAnswer: ({ ci_id, name, role, sessions, session, alsoIn }) => ({
      ci_id,
      name,
      role,
      sessions,
      session_id: session,
      also_in: alsoIn,
    }),
  }),
  singleCallShape({
    names: ['katra_remember', 'semantic_remember'],
    summary: 'Keeps an experience; its context says how important it is.',
    capability: 'katra:remember',
    input: inputFields({ content: text, context: text }),
    toShapeAnswer: toStoredMemory,
  }),
  singleCallShape({
    names: ['katra_learn', 'semantic_learn'],
    summary: 'Keeps knowledge.',
    capability: 'katra:learn',
    input: inputFields({ knowledge: text }),
    toShapeAnswer: toStoredMemory,
  }),
  singleCallShape({
    names: ['katra_decide', 'semantic_decide'],
    summary: 'Keeps a decision with its reasoning.',
    capability: 'katra:decide',
    input: inputFields({ decision: text, reasoning: text }),
    toShapeAnswer: toStoredMemory,
  }),
  singleCallShape({
    names: ['katra_recall', 'recall_about_topic'],
    summary: 'What is known of a topic.',
    capability: 'katra:recall_topic',
    input: inputFields({ topic: text }),
    toShapeAnswer: toMemoryList,
  }),
  singleCallShape({
    names: ['recall_relevant_memories'],
    summary: 'What bears on where the persona is now.',
    capability: 'katra:recall_relevant',
    input: inputFields({ max_results: positiveInteger }),
    fieldNames: { limit: 'max_results' },
    toShapeAnswer: toMemoryList,
  }),
  singleCallShape({
    names: ['katra_recent', 'recall_recent_thoughts'],
    summary: 'What was kept or said last.',
    capability: 'katra:recall_recent',
    input: inputFields({ max_results: positiveInteger }),
    fieldNames: { limit: 'max_results' },
    toShapeAnswer: toMemoryList,
  }),
  singleCallShape({
    names: ['katra_begin_turn', 'begin_turn'],
    summary: 'Begins a turn.',
    capability: 'katra:begin_turn',
    input: inputFields({}),
    toShapeAnswer: ({ turn, number }) => ({ turn_id: turn, number }),
  }),
  singleCallShape({
    names: ['katra_end_turn', 'end_turn'],
    summary: 'Ends the turn.',
    capability: 'katra:end_turn',
    input: inputFields({}),
    toShapeAnswer: ({ memoryIds, count: memoryCount }) => ({ memory_ids: memoryIds, count: memoryCount }),
  }),
  singleCallShape({
    names: ['katra_review_turn', 'review_turn'],
    summary: 'What was stored this turn.',
    capability: 'katra:review_turn',
    input: inputFields({}),
    toShapeAnswer: ({ memoryIds, count: memoryCount }) => ({ memory_ids: memoryIds, count: memoryCount }),
  }),
  singleCallShape({
    names: ['katra_update_metadata', 'update_memory_metadata'],
    summary: 'Marks a memory: personal, not to be archived, in which collection.',
    capability: 'katra:update_metadata',
    input: inputFields({ memory_id: text }),
    fieldNames: { memoryId: 'memory_id', keep: 'not_to_archive' },
    toShapeAnswer: ({ memoryId, marks }) => {
      const { personal = false, keep = false, collection = null } = marks as Fields
      return { memory_id: memoryId, personal, not_to_archive: keep, collection }
    },
  }),
  singleCallShape({
    names: ['katra_get_collections', 'get_personal_collections'],
    summary: 'The collections there are.',
    capability: 'katra:collections',
    input: inputFields({}),
    toShapeAnswer: ({ collections }) => {
      const names = (collections as readonly Fields[]).map(({ name }) => name)
      return { collections: names, count: names.length }
    },
  }),
  singleCallShape({
    names: ['katra_session_start', 'session_start'],
    summary: 'Starts a session of a persona.',
    capability: 'katra:session_start',
    input: inputFields({ ci_id: text }),
    fieldNames: { persona: 'ci_id' },
    toShapeAnswer: toStartedSession,
  }),
  singleCallShape({
    names: ['katra_session_end', 'session_end'],
    summary: 'Ends the session: snapshot, digest, consolidation.',
    capability: 'katra:session_end',
    input: inputFields({}),
    toShapeAnswer: ({ session, state, digests }) => ({ session_id: session, state, digests }),
  }),
  singleCallShape({
    names: ['katra_sunrise', 'katra_sunrise_basic'],
    summary: "Yesterday's summary, key events and open questions.",
    capability: 'katra:sunrise',
    input: inputFields({ ci_id: text.optional() }),
    fieldNames: { persona: 'ci_id' },
    toShapeAnswer: toSunrise,
  }),
  singleCallShape({
    names: ['katra_sundown', 'katra_sundown_basic'],
    summary: "Tells today's digest.",
    capability: 'katra:sundown',
    input: inputFields({ ci_id: text.optional() }),
    fieldNames: { persona: 'ci_id' },
    toShapeAnswer: ({ day, digest }) => ({ day, summary: digestText(digest) }),
  }),
  singleCallShape({
    names: ['katra_capture_context_snapshot', 'capture_context_snapshot'],
    summary: 'Takes a snapshot of where the persona is.',
    capability: 'katra:capture_snapshot',
    input: inputFields({ ci_id: text.optional(), focus_description: text.optional() }),
    fieldNames: { persona: 'ci_id', focus: 'focus_description' },
    toShapeAnswer: ({ id, markdown }) => ({ snapshot_id: id, markdown }),
  }),
  singleCallShape({
    names: ['katra_restore_context', 'restore_context_as_latent_space'],
    summary: 'The last snapshot as Markdown for the system prompt.',
    capability: 'katra:restore_snapshot',
    input: inputFields({ ci_id: text.optional() }),
    fieldNames: { persona: 'ci_id' },
    toShapeAnswer: ({ snapshot }) => ({ markdown: (snapshot as Fields | null)?.['markdown'] ?? null }),
  }),
  singleCallShape({
    names: ['katra_consolidate', 'auto_consolidate'],
    summary: 'Consolidates: digests, patterns, and what they have told of out of recall.',
    capability: 'katra:consolidate',
    input: inputFields({ dry_run: z.boolean().optional() }),
    fieldNames: { dryRun: 'dry_run' },
    toShapeAnswer: ({ digests, patterns, archived, retained }) => ({
      digests,
      patterns,
      archived,
      kept: retained,
    }),
  }),
])

/** Tools of Katra's meeting room. Separate, because the manifest lists them before the others. */
export const roomShapes = withErrorAnswer(toKatraError, [
  singleCallShape({
    names: ['katra_say'],
    summary: 'Says something to everyone in the meeting room.',
    capability: 'room:say',
    input: inputFields({ message: text }),
    fieldNames: { text: 'message' },
    toShapeAnswer: ({ number }) => ({ message_number: number }),
  }),
  singleCallShape({
    names: ['katra_hear'],
    summary: 'The next message of another participant after `last_heard`; null without one.',
    capability: 'room:hear',
    input: inputFields({ last_heard: z.number().int().default(0) }),
    fieldNames: { last: 'last_heard' },
    toShapeAnswer({ message, messagesLost }) {
      if (message === null) return { message_number: null, messages_lost: messagesLost }
      const { number, name, at, text: content } = message as Fields
      return {
        message_number: number,
        speaker_name: name,
        timestamp: at,
        content,
        messages_lost: messagesLost,
      }
    },
  }),
  singleCallShape({
    names: ['katra_who_is_here'],
    summary: 'Lists who is in the meeting room.',
    capability: 'room:who_is_here',
    input: inputFields({}),
    toShapeAnswer({ participants }) {
      const cis = (participants as readonly Fields[]).map(({ id, joinedAt, ...who }) => ({
        ci_id: id,
        ...who,
        joined_at: joinedAt,
      }))
      return { cis, count: cis.length }
    },
  }),
])

/** Katra's error codes by Daybook's code. */
const katraCodes: Partial<Readonly<Record<ErrorCode, string>>> = {
  'invalid-input': 'E_INPUT_INVALID',
  'invalid-filter': 'E_INPUT_INVALID',
  'not-found': 'E_INPUT_INVALID',
  'too-large': 'E_INPUT_TOO_LONG',
  'room-full': 'E_MEETING_FULL',
  forbidden: 'E_CONSENT_DENIED',
  unauthorized: 'E_CONSENT_DENIED',
  'storage-full': 'E_SYSTEM_IO',
  'storage-unavailable': 'E_SYSTEM_IO',
  'storage-failed': 'E_SYSTEM_DATABASE',
  'book-closed': 'E_NOT_INITIALIZED',
  'backup-failed': 'E_CHECKPOINT_FAILED',
}

/** Katra's error codes by `details.reason` of a `conflict`. */
const katraConflictCodes: Readonly<Record<string, string>> = {
  'not-initialized': 'E_NOT_INITIALIZED',
  'already-initialized': 'E_ALREADY_INITIALIZED',
}

/** Returns the answer that replaces an error. */
function toKatraError({ code, message, details }: DaybookError) {
  const conflictCode = code === 'conflict' ? katraConflictCodes[String(details['reason'])] : undefined
  return { error: conflictCode ?? katraCodes[code] ?? 'E_INVALID_STATE', message }
}
