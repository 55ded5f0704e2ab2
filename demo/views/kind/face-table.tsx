// The face of each kind: its view while the book has no such record, and acts on the kind beside its filters.
import type { ComponentChildren } from 'preact'
import { CopyButton } from '../../parts/copy-button.tsx'
import { Icon } from '../../parts/inline.tsx'
import { isSampling, loadSample } from '../../state/act/sample.ts'
import { FilePicker } from '../../parts/field/file-picker.tsx'
import { bookName, go } from '../../state/address.ts'
import { openDialog } from '../../state/dialog.ts'
import { importFiles } from '../../state/bundle/import.ts'
import { registerSchema } from '../../state/act/edit.ts'
import { status } from '../../state/status.ts'
import { askGrant } from '../../state/trust/token.ts'
import { EmptyNote } from '../../parts/empty-note.tsx'

interface Face {
  /** The whole view of an empty kind: its purpose, and ways to make a record. */
  Empty(): ComponentChildren
  /** Acts on the kind as a whole, beside the filters, such as granting a token. */
  Tools?(): ComponentChildren
}

function Nothing() {
  return null
}

export function faceOf(kind: string): Face {
  const face = faces[kind]
  if (!face) throw new Error(`There is no face for the kind ${kind}.`)
  return face
}

interface EmptyKindWords {
  readonly title: string
  /** The records that appear here. */
  readonly text: string
  /** How an agent makes one, as code that runs in the console of this page. */
  readonly code: string
  /** Making one by hand, where that makes sense. */
  Act?(): ComponentChildren
}

const emptyKinds = {
  perception: {
    title: 'No perceptions yet',
    text: 'This is where perceptions appear: what an agent has noticed or believes about a person or a thing, with its confidence, the traces that support it, and when it expires.',
    code: `await book.perceptions.store({
  subject: 'student:ana',
  content: 'Understands recursion, but forgets the base case',
  confidence: 0.8,
  evidence: [],            // ids of the traces that support it
  valid_until: '2027-01-01',
})`,
  },
  fact: {
    title: 'No facts yet',
    text: 'This is where facts appear: data with a named schema. A newer fact can replace an earlier one, which stays in the history and is no longer recalled. Data is validated if its schema is registered under Schemas.',
    code: `await book.facts.store({
  schema: 'course.v1',
  data: { code: 'CS101', title: 'Introduction', credits: 6 },
  source: 'registry',
})`,
  },
  fact_schema: {
    title: 'No schemas yet',
    text: 'This is where the JSON Schemas (draft 2020-12) of facts appear. Facts that are invalid against their schema are rejected with the path of the error; other schemas are not validated.',
    code: `await book.facts.schemas.register({
  name: 'course.v1',
  schema: {
    type: 'object',
    required: ['code'],
    properties: { code: { type: 'string' }, credits: { type: 'integer', minimum: 0 } },
  },
})`,
    Act: RegisterSchemaNow,
  },
  skill: {
    title: 'No skills yet',
    text: 'This is where skills appear: how to do something, when, under which conditions, and from which traces it was learned. Each recorded use updates the success rate and the level.',
    code: `await book.skills.store({
  name: 'explain recursion',
  description: 'Lead from a picture to the code',
  definition: { triggers: ['asks about recursion'], procedure: 'Draw the call tree. Then …' },
  learned_from: { traces: [], explicit_training: true },
})
await book.skills.recordOutcome({ skillName: 'explain recursion', outcome: true })`,
  },
  trace_category: {
    title: 'No trace categories yet',
    text: 'This is where trace categories appear: the fields that traces of one action in one domain must have. Traces without them are rejected with the name of the missing field; other traces are not validated.',
    code: `await book.traces.categories.register({
  name: 'artifact_evaluation',
  domain: 'education.evaluation',
  required_fields: ['artifact_id', 'score'],
})`,
  },
  message: {
    title: 'No messages yet',
    text: 'This is where messages between people and agents appear, by session. Empty and duplicate messages are skipped, and the answer says so.',
    code: `await book.conversation.store({
  session: 'monday',
  message: { content: 'I moved to Porto last week', source: { User: 'mara' } },
})`,
  },
  episode: {
    title: 'No episodes yet',
    text: 'This is where episodes appear: parts of a conversation summarized in a few sentences with keywords, by extracting key sentences or, where the book has one, by a language model.',
    code: `await book.conversation.archive({ session: 'monday' })`,
  },
  profile: {
    title: 'No profiles yet',
    text: 'This is where profiles appear: what an agent knows about each user from their messages. Facts that were contradicted later stay, marked with when they ended.',
    code: `await book.conversation.updateProfile({
  history: [{ content: 'I live in Porto', source: { User: 'mara' } }],
})`,
  },
  token: {
    title: 'No tokens yet',
    text: 'This is where tokens appear: who else has access to this book, with which permissions, and until when. Without a token only you have access; records outside a token’s scope are invisible to its holder.',
    code: `const { token } = await book.tokens.grant({
  granted_to: 'agent:helper',
  scope: 'trace:**',
  permissions: ['read'],
  expires_at: '2027-01-01',
})
await book.traces.query({}, { as: token.token_id })   // what its holder would see`,
    Act: GrantTokenNow,
  },
  token_type: {
    title: 'No token types yet',
    text: 'This is where custom token types appear: the scope of tokens of that type and the permissions they require.',
    code: `await book.tokens.types.register({
  name: 'course_access',
  description: 'Teachers of a course may read records about it',
  scope_pattern: 'course:{course_id}',
  required_permissions: ['read'],
})`,
  },
  thought: {
    title: 'No thoughts yet',
    text: 'This is where thoughts appear: notes of an agent about what it saw, learned or decided, and their importance. Digests are made of them.',
    code: `await book.personas.register({ name: 'Alice' })
await book.thoughts.decide({
  persona: 'Alice', decision: 'Use Podman', reasoning: 'no daemon',
})`,
  },
} satisfies Readonly<Record<string, EmptyKindWords>>

const emptyOf = (kind: keyof typeof emptyKinds) => () => <EmptyKind words={emptyKinds[kind]} />

const faces: Readonly<Record<string, Face>> = {
  trace: { Empty: EmptyBook },
  trace_category: { Empty: emptyOf('trace_category') },
  fact: { Empty: emptyOf('fact') },
  fact_schema: { Empty: emptyOf('fact_schema'), Tools: RegisterSchema },
  episode: { Empty: emptyOf('episode') },
  message: { Empty: emptyOf('message') },
  profile: { Empty: emptyOf('profile') },
  perception: { Empty: emptyOf('perception') },
  token: { Empty: emptyOf('token'), Tools: GrantToken },
  token_type: { Empty: emptyOf('token_type') },
  thought: { Empty: emptyOf('thought') },
  pool_fact: { Empty: EmptyPoolFacts },
  skill: { Empty: emptyOf('skill') },
  // Kinds without a list of their own.
  pool_proposal: { Empty: Nothing },
  pool_ballot: { Empty: Nothing },
  pool_decision: { Empty: Nothing },
  pool_claw: { Empty: Nothing },
}

function EmptyKind({ words: { title, text, code, Act } }: { words: EmptyKindWords }) {
  return (
    <section class="page empty-kind" aria-labelledby="empty-kind-title">
      <h1 id="empty-kind-title">{title}</h1>
      <div class="empty-text">
        <p>{text}</p>
      </div>
      <div class="card-row">
        {Act && <Act />}
        <button type="button" class="button" disabled={isSampling.value} onClick={() => void loadSample()}>
          <Icon name="play" size={14} />
          {isSampling.value ? 'Running…' : 'Run the guided sample'}
        </button>
      </div>
      <div class="example">
        <p class="example-head">
          <span class="faint">Try it in this page's console</span>
          <span class="spacer" />
          <CopyButton text={code} of="example" />
        </p>
        <pre tabIndex={0} aria-label="Example">
          {code}
        </pre>
      </div>
    </section>
  )
}

function EmptyBook() {
  const state = status.value
  const isEmpty = state && !Object.values(state.records).some(Boolean)
  return (
    <section class="page empty-book" aria-labelledby="empty-title">
      <h1 id="empty-title">{isEmpty ? `The book “${bookName}” is empty` : 'No traces yet'}</h1>
      <p class="quiet">
        This is where traces of an agent appear: the situation, the task, the action and its result. The book
        is stored in this browser and works offline. Three ways to begin:
      </p>
      <ol class="ways">
        <li class="way">
          <h2>
            <Icon name="import" /> Import a trajectory
          </h2>
          <p>
            Drop SWE-agent <code>.traj</code> files anywhere on this page, or pick them. Each step becomes a
            trace, each run a session.
          </p>
          <FilePicker onFiles={importFiles} class="button primary">
            Choose files
          </FilePicker>
        </li>
        <li class="way">
          <h2>
            <Icon name="paste" /> Paste a trace as JSON
          </h2>
          <p>One trace or a list of traces. Invalid entries are rejected with the path of the error.</p>
          <button type="button" class="button" onClick={() => (openDialog.value = 'paste')}>
            Paste JSON
          </button>
        </li>
        <li class="way">
          <h2>
            <Icon name="play" /> Watch a scripted agent
          </h2>
          <p>
            A demo agent explores a small maze twice, using the same API as any agent. Everything it stores is
            tagged <code>sample</code>.
          </p>
          <button type="button" class="button" disabled={isSampling.value} onClick={() => void loadSample()}>
            {isSampling.value ? 'Running…' : 'Run the guided sample'}
          </button>
        </li>
      </ol>
      <p class="faint">
        Your own agent writes here too: open the same book from a page of this origin with{' '}
        <code>
          openDaybook({'{'} name: '{bookName}' {'}'})
        </code>
        .
      </p>
    </section>
  )
}

function EmptyPoolFacts() {
  return (
    <div class="page consent pool">
      <h1>Confirmed facts</h1>
      <EmptyNote title="No confirmed facts yet">
        <p>
          This is where facts appear that a majority of agents has approved, with each of their versions and
          the votes behind it. Vote on a proposal, or announce this book as an agent to begin.
        </p>
        <p class="card-row">
          <button type="button" class="button primary" onClick={() => go({ view: 'pool', id: undefined })}>
            Open proposals
          </button>
          <button type="button" class="button" onClick={() => go({ view: 'poolClaws', id: undefined })}>
            Announce this book
          </button>
        </p>
      </EmptyNote>
    </div>
  )
}

function RegisterSchema() {
  return (
    <button type="button" class="button small" onClick={() => registerSchema()}>
      <Icon name="plus" size={14} />
      Register a schema
    </button>
  )
}

function GrantToken() {
  return (
    <button type="button" class="button small" onClick={() => askGrant()}>
      <Icon name="plus" size={14} />
      Grant a token
    </button>
  )
}

function RegisterSchemaNow() {
  return (
    <button type="button" class="button primary" onClick={() => registerSchema()}>
      Register a schema
    </button>
  )
}

function GrantTokenNow() {
  return (
    <button type="button" class="button primary" onClick={() => askGrant()}>
      Grant a token
    </button>
  )
}
