// Seed shapes of Katra's tools (personas, memories, turns, days, meeting room), and Katra's error codes.
import { z } from 'zod'
import { fields, type Fields, oneCall, type SeedShape, text, withFailure } from './shape.ts'
import type { DaybookError, ErrorCode } from '../../core/errors.ts'

const count = z.number().int().min(1).optional()

const memories = ({ records }: Fields) => {
  const found = (records as readonly Fields[]).map(({ id, kind, type, content, importance, timestamp }) => ({
    id,
    type: type ?? kind,
    content,
    importance,
    timestamp,
  }))
  return { memories: found, count: found.length }
}

const storedMemory = ({ id, result, importance }: Fields) => ({
  memory_id: id,
  stored: result === 'stored',
  importance,
})

const digestText = (digest: unknown) => (digest === null ? null : ((digest as Fields)['text'] ?? null))

const sunrise = ({ day, isYesterday, digest, keyEvents, open_questions }: Fields) => ({
  day,
  is_yesterday: isYesterday,
  summary: digestText(digest),
  key_events: (keyEvents as readonly Fields[]).map((line) => line['text']),
  open_questions: (open_questions as readonly Fields[]).map((line) => line['text']),
})

const started = (answer: Fields) => ({
  session_id: answer['session'],
  ci_id: answer['ci_id'],
  sunrise: sunrise(answer['sunrise'] as Fields),
  context: (answer['context'] as Fields | null)?.['markdown'] ?? null,
})

const register: SeedShape = {
  names: ['katra_register'],
  summary:
    'Registers a persona or finds it again, and starts its session: with yesterday, and where it left off.',
  uses: ['katra:register', 'katra:whoami', 'katra:session_start'],
  input: fields({ name: text, role: text.optional() }),
  async run(input, { call }) {
    const { ci_id, isNew: is_new, sessions } = (await call('katra:register', input, 0)) as Fields
    const { session } = (await call('katra:whoami', { persona: ci_id }, 1)) as Fields
    if (session !== null)
      return { ci_id, is_new, sessions, session_id: session, sunrise: null, context: null }
    const answer = (await call('katra:session_start', { persona: ci_id }, 2)) as Fields
    return { is_new, sessions: Number(sessions) + 1, ...started(answer) }
  },
}

export const katraShapes = withFailure(failure, [
  register,
  oneCall({
    names: ['katra_whoami'],
    summary: 'Says which persona is awake here, and in which session.',
    capability: 'katra:whoami',
    input: fields({}),
    from: ({ ci_id, name, role, sessions, session }) => ({
      ci_id,
      name,
      role,
      sessions,
      session_id: session,
    }),
  }),
  oneCall({
    names: ['katra_remember', 'semantic_remember'],
    summary: 'Keeps an experience; its context says how important it is.',
    capability: 'katra:remember',
    input: fields({ content: text, context: text }),
    from: storedMemory,
  }),
  oneCall({
    names: ['katra_learn', 'semantic_learn'],
    summary: 'Keeps knowledge.',
    capability: 'katra:learn',
    input: fields({ knowledge: text }),
    from: storedMemory,
  }),
  oneCall({
    names: ['katra_decide', 'semantic_decide'],
    summary: 'Keeps a decision with its reasoning.',
    capability: 'katra:decide',
    input: fields({ decision: text, reasoning: text }),
    from: storedMemory,
  }),
  oneCall({
    names: ['katra_recall', 'recall_about_topic'],
    summary: 'What is known of a topic.',
    capability: 'katra:recall_topic',
    input: fields({ topic: text }),
    from: memories,
  }),
  oneCall({
    names: ['recall_relevant_memories'],
    summary: 'What bears on where the persona is now.',
    capability: 'katra:recall_relevant',
    input: fields({ max_results: count }),
    fields: { limit: 'max_results' },
    from: memories,
  }),
  oneCall({
    names: ['katra_recent', 'recall_recent_thoughts'],
    summary: 'What was kept or said last.',
    capability: 'katra:recall_recent',
    input: fields({ max_results: count }),
    fields: { limit: 'max_results' },
    from: memories,
  }),
  oneCall({
    names: ['katra_begin_turn', 'begin_turn'],
    summary: 'Begins a turn.',
    capability: 'katra:begin_turn',
    input: fields({}),
    from: ({ turn, number }) => ({ turn_id: turn, number }),
  }),
  oneCall({
    names: ['katra_end_turn', 'end_turn'],
    summary: 'Ends the turn.',
    capability: 'katra:end_turn',
    input: fields({}),
    from: ({ memoryIds, count: written }) => ({ memory_ids: memoryIds, count: written }),
  }),
  oneCall({
    names: ['katra_review_turn', 'review_turn'],
    summary: 'What was stored this turn.',
    capability: 'katra:review_turn',
    input: fields({}),
    from: ({ memoryIds, count: written }) => ({ memory_ids: memoryIds, count: written }),
  }),
  oneCall({
    names: ['katra_update_metadata', 'update_memory_metadata'],
    summary: 'Marks a memory: personal, not to be archived, in which collection.',
    capability: 'katra:update_metadata',
    input: fields({ memory_id: text }),
    fields: { memoryId: 'memory_id', keep: 'not_to_archive' },
    from: ({ memoryId, marks }) => {
      const { personal = false, keep = false, collection = null } = marks as Fields
      return { memory_id: memoryId, personal, not_to_archive: keep, collection }
    },
  }),
  oneCall({
    names: ['katra_get_collections', 'get_personal_collections'],
    summary: 'The collections there are.',
    capability: 'katra:collections',
    input: fields({}),
    from: ({ collections }) => {
      const names = (collections as readonly Fields[]).map(({ name }) => name)
      return { collections: names, count: names.length }
    },
  }),
  oneCall({
    names: ['katra_session_start', 'session_start'],
    summary: 'Starts a session of a persona.',
    capability: 'katra:session_start',
    input: fields({ ci_id: text }),
    fields: { persona: 'ci_id' },
    from: started,
  }),
  oneCall({
    names: ['katra_session_end', 'session_end'],
    summary: 'Ends the session: snapshot, digest, consolidation.',
    capability: 'katra:session_end',
    input: fields({}),
    from: ({ session, state, digests }) => ({ session_id: session, state, digests }),
  }),
  oneCall({
    names: ['katra_sunrise', 'katra_sunrise_basic'],
    summary: "Yesterday's summary, key events and open questions.",
    capability: 'katra:sunrise',
    input: fields({ ci_id: text.optional() }),
    fields: { persona: 'ci_id' },
    from: sunrise,
  }),
  oneCall({
    names: ['katra_sundown', 'katra_sundown_basic'],
    summary: "Tells today's digest.",
    capability: 'katra:sundown',
    input: fields({ ci_id: text.optional() }),
    fields: { persona: 'ci_id' },
    from: ({ day, digest }) => ({ day, summary: digestText(digest) }),
  }),
  oneCall({
    names: ['katra_capture_context_snapshot', 'capture_context_snapshot'],
    summary: 'Takes a snapshot of where the persona is.',
    capability: 'katra:capture_snapshot',
    input: fields({ ci_id: text.optional(), focus_description: text.optional() }),
    fields: { persona: 'ci_id', focus: 'focus_description' },
    from: ({ id, markdown }) => ({ snapshot_id: id, markdown }),
  }),
  oneCall({
    names: ['katra_restore_context', 'restore_context_as_latent_space'],
    summary: 'The last snapshot as Markdown for the system prompt.',
    capability: 'katra:restore_snapshot',
    input: fields({ ci_id: text.optional() }),
    fields: { persona: 'ci_id' },
    from: ({ snapshot }) => ({ markdown: (snapshot as Fields | null)?.['markdown'] ?? null }),
  }),
  oneCall({
    names: ['katra_consolidate', 'auto_consolidate'],
    summary: 'Consolidates: digests, patterns, and what they have told of out of recall.',
    capability: 'katra:consolidate',
    input: fields({ dry_run: z.boolean().optional() }),
    fields: { dryRun: 'dry_run' },
    from: ({ digests, patterns, archived, retained }) => ({ digests, patterns, archived, kept: retained }),
  }),
])

// Tools of Katra's meeting room.

export const roomShapes = withFailure(failure, [
  oneCall({
    names: ['katra_say'],
    summary: 'Says something to everyone in the meeting room.',
    capability: 'room:say',
    input: fields({ message: text }),
    fields: { text: 'message' },
    from: ({ number }) => ({ message_number: number }),
  }),
  oneCall({
    names: ['katra_hear'],
    summary: 'The next message of another participant after `last_heard`; null without one.',
    capability: 'room:hear',
    input: fields({ last_heard: z.number().int().default(0) }),
    fields: { last: 'last_heard' },
    from({ message, messagesLost }) {
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
  oneCall({
    names: ['katra_who_is_here'],
    summary: 'Lists who is in the meeting room.',
    capability: 'room:who_is_here',
    input: fields({}),
    from({ participants }) {
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
const names: Partial<Readonly<Record<ErrorCode, string>>> = {
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
const states: Readonly<Record<string, string>> = {
  'not-initialized': 'E_NOT_INITIALIZED',
  'already-initialized': 'E_ALREADY_INITIALIZED',
}

/** Returns the answer that replaces an error. */
function failure({ code, message, details }: DaybookError) {
  const state = code === 'conflict' ? states[String(details['reason'])] : undefined
  return { error: state ?? names[code] ?? 'E_INVALID_STATE', message }
}
