// Katra's tools of personas, memories, turns and days, and the functions of its layers by their names. Its tools of the
// meeting room stand in room-shape.ts.
import { z } from 'zod'
import { given, type Given, oneCall, renamed, type SeedShape, text } from './shape.ts'
import { katraFailure as failure } from './katra-error.ts'

const count = z.number().int().min(1).optional()

const memories = ({ records }: Given) => {
  const found = (records as readonly Given[]).map(({ id, kind, type, content, importance, timestamp }) => ({
    id,
    type: type ?? kind,
    content,
    importance,
    timestamp,
  }))
  return { memories: found, count: found.length }
}

const kept = ({ id, result, importance }: Given) => ({
  memory_id: id,
  stored: result === 'stored',
  importance,
})

const asLimit = (asked: Given) => renamed(asked, 'max_results', 'limit')

const digestText = (digest: unknown) => (digest === null ? null : ((digest as Given)['text'] ?? null))

const sunrise = ({ day, is_yesterday, digest, key_events, open_questions }: Given) => ({
  day,
  is_yesterday,
  summary: digestText(digest),
  key_events: (key_events as readonly Given[]).map((line) => line['text']),
  open_questions: (open_questions as readonly Given[]).map((line) => line['text']),
})

const started = (answer: Given) => ({
  session_id: answer['session'],
  ci_id: answer['ci_id'],
  sunrise: sunrise(answer['sunrise'] as Given),
  context: (answer['context'] as Given | null)?.['markdown'] ?? null,
})

const forPersona = (asked: Given) => renamed(asked, 'ci_id', 'persona')

const register: SeedShape = {
  names: ['katra_register'],
  summary:
    'Registers a persona or finds it again, and starts its session: with yesterday, and where it left off.',
  uses: ['katra:register', 'katra:whoami', 'katra:session_start'],
  input: given({ name: text, role: text.optional() }),
  failure,
  async run(asked, { call }) {
    const { ci_id, is_new, sessions } = (await call('katra:register', asked, 0)) as Given
    const { session } = (await call('katra:whoami', { persona: ci_id }, 1)) as Given
    if (session !== null)
      return { ci_id, is_new, sessions, session_id: session, sunrise: null, context: null }
    const answer = (await call('katra:session_start', { persona: ci_id }, 2)) as Given
    return { is_new, sessions: Number(sessions) + 1, ...started(answer) }
  },
}

export const katraShapes: readonly SeedShape[] = [
  register,
  oneCall({
    names: ['katra_whoami'],
    summary: 'Says which persona is awake here, and in which session.',
    capability: 'katra:whoami',
    input: given({}),
    from: ({ ci_id, name, role, sessions, session }) => ({
      ci_id,
      name,
      role,
      sessions,
      session_id: session,
    }),
    failure,
  }),
  oneCall({
    names: ['katra_remember', 'semantic_remember'],
    summary: 'Keeps an experience; its context says how important it is.',
    capability: 'katra:remember',
    input: given({ content: text, context: text }),
    from: kept,
    failure,
  }),
  oneCall({
    names: ['katra_learn', 'semantic_learn'],
    summary: 'Keeps knowledge.',
    capability: 'katra:learn',
    input: given({ knowledge: text }),
    from: kept,
    failure,
  }),
  oneCall({
    names: ['katra_decide', 'semantic_decide'],
    summary: 'Keeps a decision with its reasoning.',
    capability: 'katra:decide',
    input: given({ decision: text, reasoning: text }),
    from: kept,
    failure,
  }),
  oneCall({
    names: ['katra_recall', 'recall_about_topic'],
    summary: 'What is known of a topic.',
    capability: 'katra:recall_topic',
    input: given({ topic: text }),
    from: memories,
    failure,
  }),
  oneCall({
    names: ['recall_relevant_memories'],
    summary: 'What bears on where the persona is now.',
    capability: 'katra:recall_relevant',
    input: given({ max_results: count }),
    fields: { limit: 'max_results' },
    to: asLimit,
    from: memories,
    failure,
  }),
  oneCall({
    names: ['katra_recent', 'recall_recent_thoughts'],
    summary: 'What was kept or said last.',
    capability: 'katra:recall_recent',
    input: given({ max_results: count }),
    fields: { limit: 'max_results' },
    to: asLimit,
    from: memories,
    failure,
  }),
  oneCall({
    names: ['katra_begin_turn', 'begin_turn'],
    summary: 'Begins a turn.',
    capability: 'katra:begin_turn',
    input: given({}),
    from: ({ turn, number }) => ({ turn_id: turn, number }),
    failure,
  }),
  oneCall({
    names: ['katra_end_turn', 'end_turn'],
    summary: 'Ends the turn.',
    capability: 'katra:end_turn',
    input: given({}),
    from: ({ memory_ids, count: written }) => ({ memory_ids, count: written }),
    failure,
  }),
  oneCall({
    names: ['katra_review_turn', 'review_turn'],
    summary: 'What was stored this turn.',
    capability: 'katra:review_turn',
    input: given({}),
    from: ({ memory_ids, count: written }) => ({ memory_ids, count: written }),
    failure,
  }),
  oneCall({
    names: ['katra_update_metadata', 'update_memory_metadata'],
    summary: 'Marks a memory: personal, not to be archived, in which collection.',
    capability: 'katra:update_metadata',
    input: given({ memory_id: text }),
    from: ({ memory_id, marks }) => {
      const { personal = false, keep = false, collection = null } = marks as Given
      return { memory_id, personal, not_to_archive: keep, collection }
    },
    failure,
  }),
  oneCall({
    names: ['katra_get_collections', 'get_personal_collections'],
    summary: 'The collections there are.',
    capability: 'katra:collections',
    input: given({}),
    from: ({ collections }) => {
      const names = (collections as readonly Given[]).map(({ name }) => name)
      return { collections: names, count: names.length }
    },
    failure,
  }),
  oneCall({
    names: ['katra_session_start', 'session_start'],
    summary: 'Starts a session of a persona.',
    capability: 'katra:session_start',
    input: given({ ci_id: text }),
    fields: { persona: 'ci_id' },
    to: forPersona,
    from: started,
    failure,
  }),
  oneCall({
    names: ['katra_session_end', 'session_end'],
    summary: 'Ends the session: snapshot, digest, consolidation.',
    capability: 'katra:session_end',
    input: given({}),
    from: ({ session, state, digests }) => ({ session_id: session, state, digests }),
    failure,
  }),
  oneCall({
    names: ['katra_sunrise', 'katra_sunrise_basic'],
    summary: "Yesterday's summary, key events and open questions.",
    capability: 'katra:sunrise',
    input: given({ ci_id: text.optional() }),
    fields: { persona: 'ci_id' },
    to: forPersona,
    from: sunrise,
    failure,
  }),
  oneCall({
    names: ['katra_sundown', 'katra_sundown_basic'],
    summary: "Tells today's digest.",
    capability: 'katra:sundown',
    input: given({ ci_id: text.optional() }),
    fields: { persona: 'ci_id' },
    to: forPersona,
    from: ({ day, digest }) => ({ day, summary: digestText(digest) }),
    failure,
  }),
  oneCall({
    names: ['katra_capture_context_snapshot', 'capture_context_snapshot'],
    summary: 'Takes a snapshot of where the persona is.',
    capability: 'katra:capture_snapshot',
    input: given({ ci_id: text.optional(), focus_description: text.optional() }),
    fields: { persona: 'ci_id', focus: 'focus_description' },
    to: (asked) => renamed(forPersona(asked), 'focus_description', 'focus'),
    from: ({ id, markdown }) => ({ snapshot_id: id, markdown }),
    failure,
  }),
  oneCall({
    names: ['katra_restore_context', 'restore_context_as_latent_space'],
    summary: 'The last snapshot as Markdown for the system prompt.',
    capability: 'katra:restore_snapshot',
    input: given({ ci_id: text.optional() }),
    fields: { persona: 'ci_id' },
    to: forPersona,
    from: ({ snapshot }) => ({ markdown: (snapshot as Given | null)?.['markdown'] ?? null }),
    failure,
  }),
  oneCall({
    names: ['katra_consolidate', 'auto_consolidate'],
    summary: 'Consolidates: digests, patterns, and what they have told of out of recall.',
    capability: 'katra:consolidate',
    input: given({ dry_run: z.boolean().optional() }),
    from: ({ digests, patterns, archived, kept: stay }) => ({ digests, patterns, archived, kept: stay }),
    failure,
  }),
]
