// The view of personas: who they are, their last session, and the sunrise of one as its agent would read it.
import { useEffect, useRef } from 'preact/hooks'
import { EmptyNote } from '../../parts/empty-note.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { KeyCap } from '../../parts/key-cap.tsx'
import { ShortId } from '../../parts/short-id.tsx'
import { Time } from '../../parts/time.tsx'
import { goTo, type Known, personas, type Sunrise } from '../../state/continuity/personas.ts'
import { choosePersona, onPersonaDrawn, personaHeading } from '../../state/continuity/persona-choice.ts'
import { loadSunrise, sunrise, sunriseFailure } from '../../state/continuity/sunrise.ts'
import { dayWord } from '../../wording/day-word.ts'
import { countOf } from '../../wording/text-word.ts'
import { ContinuityPage } from './continuity-page.tsx'
import { LineList } from './line-list.tsx'
import { SessionLine } from './session-line.tsx'

export function PersonaView() {
  return (
    <ContinuityPage title="Personas" picks>
      {(who) => (
        <div class="persona-panes">
          <List shown={who} />
          <Persona key={who.ci_id} who={who} />
        </div>
      )}
    </ContinuityPage>
  )
}

function List({ shown }: { shown: Known }) {
  const all = personas.value ?? []
  return (
    <section aria-label="All personas">
      <h2>
        All personas ({all.length})
        {all.length > 1 && (
          <span class="queue-keys faint">
            <KeyCap name="j" /> <KeyCap name="k" />
            <span class="hidden"> next and previous</span>
          </span>
        )}
      </h2>
      <ul class="queue">
        {all.map((one) => (
          <li key={one.ci_id}>
            <button
              type="button"
              class="queue-row"
              aria-current={one.ci_id === shown.ci_id ? 'true' : undefined}
              onClick={() => choosePersona(one.ci_id)}
            >
              <bdi class="queue-text">{one.name}</bdi>
              <span class="faint">
                {one.role !== undefined && <bdi>{one.role} · </bdi>}
                {stateOf(one)}
              </span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}

function stateOf({ last }: Known) {
  if (!last) return 'no session yet'
  if (last.state === 'open') return 'in a session'
  return (
    <>
      last session <Time at={last.ended_at ?? last.started_at} />
    </>
  )
}

function Persona({ who }: { who: Known }) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    personaHeading.current = heading.current
    onPersonaDrawn()
  }, [])
  return (
    <article class="persona" aria-labelledby="persona-name">
      <div class="card">
        <h2 id="persona-name" tabIndex={-1} ref={heading} dir="auto">
          {who.name}
        </h2>
        {who.description !== undefined && <p dir="auto">{who.description}</p>}
        <dl class="facts">
          <Fact name="Role">{who.role ?? <span class="faint">not given</span>}</Fact>
          <Fact name="Time zone">{who.time_zone}</Fact>
          <Fact name="Registered">
            <Time at={who.registered_at} />
          </Fact>
          <Fact name="Sessions">{who.sessions}</Fact>
          <Fact name="Id">
            <ShortId id={who.ci_id} />
          </Fact>
        </dl>
        {who.last ? <SessionLine session={who.last} /> : <p class="quiet">No session was started yet.</p>}
        <div class="card-row">
          <button type="button" class="button" onClick={() => goTo('days', who)}>
            Days
          </button>
          <button type="button" class="button" onClick={() => goTo('collections', who)}>
            Collections
          </button>
          <button type="button" class="button" onClick={() => goTo('snapshots', who)}>
            Snapshots and backups
          </button>
        </div>
      </div>
      <section class="card" aria-labelledby="sunrise-title">
        <h2 id="sunrise-title">Sunrise</h2>
        <p class="quiet">What {who.name} would wake up to if a session started now.</p>
        {sunriseFailure.value !== undefined && (
          <ErrorNotice
            title="The sunrise could not be read."
            error={sunriseFailure.value}
            retry={() => void loadSunrise()}
          />
        )}
        {sunrise.value?.ci_id === who.ci_id ? (
          <SunrisePage told={sunrise.value} who={who} />
        ) : (
          sunriseFailure.value === undefined && <p aria-busy="true">…</p>
        )}
      </section>
    </article>
  )
}

function Fact({ name, children }: { name: string; children: preact.ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

function SunrisePage({ told, who }: { told: Sunrise; who: Known }) {
  const { day, isYesterday, digest, keyEvents: events, open_questions: open, room } = told
  return (
    <>
      {day !== null && digest ? (
        <p>
          {isYesterday ? 'Yesterday, ' : 'Nothing happened yesterday. The last day with a digest is '}
          <button type="button" class="link" onClick={() => goTo('days', who, day)}>
            {dayWord(day)}
          </button>
          : {countOf(digest.raw, 'record')}.
        </p>
      ) : (
        <EmptyNote title="Nothing to wake up to yet">
          <p>This is where the day before appears: its digest is made when a session ends, or by itself.</p>
        </EmptyNote>
      )}
      {events.length > 0 && (
        <section aria-label="Key events">
          <h3>Key events</h3>
          <LineList lines={events} />
        </section>
      )}
      {open.length > 0 && (
        <section aria-label="Open questions">
          <h3>Open questions</h3>
          <LineList lines={open} />
        </section>
      )}
      {room.length > 0 && (
        <section aria-label="Said in the room">
          <h3>Said in the room</h3>
          <ul class="lines">
            {room.map(({ from, name, text, at }) => (
              <li key={`${at} ${from} ${text}`} class="line">
                <span class="line-text" dir="auto">
                  <b>{name}</b> {text}
                </span>
                <span class="faint">
                  <Time at={at} />
                </span>
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  )
}
