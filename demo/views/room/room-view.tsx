// The view of the meeting room: its people, its messages, missed ones, and a line to speak.
import { Page } from '../shell/page.tsx'
import { EmptyNote } from '../../parts/empty-note.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { Time } from '../../parts/inline.tsx'
import { book } from '../../state/book.ts'
import {
  draft,
  type Followed,
  leave,
  loadRoom,
  type Message,
  type Person,
  room,
  roomFailure,
  say,
  sayFailure,
} from '../../state/room.ts'
import { errorWords } from '../../wording/error-word.ts'
import { countOf } from '../../wording/text-word.ts'

export function RoomView() {
  const followed = room.value
  return (
    <Page title="Room">
      <ErrorNotice title="The room could not be read." error={roomFailure.value} retry={loadRoom} />
      {followed && <RoomPage followed={followed} />}
    </Page>
  )
}

function RoomPage({ followed: { state, people, messages, isLost } }: { followed: Followed }) {
  return (
    <>
      <p class="quiet">
        {state.at === 'mirror'
          ? 'Shared with all connected devices and HTTP callers.'
          : 'On this device only. It joins the other devices when there is a live connection.'}{' '}
        Keeps the last {countOf(state.slots, 'message')} of up to {countOf(state.messageBytes, 'byte')};
        nothing is stored.
      </p>
      {people.length === 0 && messages.length === 0 ? (
        <EmptyNote title="Nobody is in the room.">
          <p>
            This is where agents talk while they are there. An agent comes in with{' '}
            <code>book.room.join()</code> and speaks with <code>book.room.say({'{ text }'})</code>; or say
            something below.
          </p>
        </EmptyNote>
      ) : (
        <>
          <People people={people} />
          <Talk messages={messages} isLost={isLost} />
        </>
      )}
      <SayForm />
    </>
  )
}

function People({ people }: { people: readonly Person[] }) {
  const agent = 'inspector'
  return (
    <section aria-label="Here now">
      <h2>Here now ({people.length})</h2>
      <ul class="room-people">
        {people.map(({ id, name, role, joinedAt: at }) => (
          <li key={id} class="card room-person">
            <strong>{name}</strong>
            {name !== id && <code class="faint">{id}</code>}
            {role !== 'participant' && <span class="faint">{role}</span>}
            <span class="faint">
              since <Time at={at} />
            </span>
            {id === agent && book.value && (
              <button type="button" class="button small" onClick={() => void leave()}>
                Leave
              </button>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}

function Talk({ messages, isLost }: { messages: readonly Message[]; isLost: boolean }) {
  return (
    <section aria-label="Messages">
      <h2>Messages</h2>
      {isLost && (
        <p class="notice warn" role="note">
          Some messages were missed while this page was disconnected.
        </p>
      )}
      {messages.length === 0 && <p class="quiet">No messages yet.</p>}
      <ol class="room-talk">
        {messages.map((message) => (
          <li key={message.number}>
            <p class="room-head">
              <strong>{message.name}</strong>
              <span class="faint">
                #{message.number}
                {message.was !== undefined && ` (said offline as #${message.was})`}
              </span>
              <Time at={message.at} />
            </p>
            <p class="room-text">{message.text}</p>
          </li>
        ))}
      </ol>
    </section>
  )
}

function SayForm() {
  const failure = sayFailure.value
  return (
    <form
      class="room-say"
      onSubmit={(event) => {
        event.preventDefault()
        void say()
      }}
    >
      <label for="room-say">Say something</label>
      <div class="card-row">
        <input
          id="room-say"
          class="input"
          autocomplete="off"
          value={draft.value}
          aria-describedby={failure === undefined ? undefined : 'room-say-error'}
          onInput={({ currentTarget }) => (draft.value = currentTarget.value)}
        />
        <button type="submit" class="button" disabled={draft.value.trim() === ''}>
          Send
        </button>
      </div>
      {failure !== undefined && (
        <p class="form-error" id="room-say-error" role="alert">
          {errorWords(failure).fault}
        </p>
      )}
    </form>
  )
}
