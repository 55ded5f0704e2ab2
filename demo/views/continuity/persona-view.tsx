// The view of personas: each with its last session, and the sunrise of the open one as its agent would read it.
import { ListPane, OpenRow } from '../../parts/list-part.tsx'
import { Fact, FactList } from '../../parts/fact-list.tsx'
import { useEffect, useRef } from 'preact/hooks'
import { EmptyNote } from '../../parts/empty-note.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { Time } from '../../parts/inline.tsx'
import { ShortId } from '../../parts/copy-button.tsx'
import {
  choosePersona,
  goTo,
  type Known,
  type Line,
  loadSunrise,
  onPersonaDrawn,
  personaHeading,
  personas,
  type Sunrise,
  sunrise,
  sunriseFailure,
} from '../../state/continuity/personas.ts'
import { dayWord } from '../../wording/day-word.ts'
import { countOf } from '../../wording/text-word.ts'
import { ContinuityPage } from './continuity-page.tsx'
import { LineList, SessionLine } from './line-list.tsx'

export function PersonaView() {
  return (
    <ContinuityPage title="Personas" picks>
      {(persona) => (
        <div class="persona-panes">
          <List shown={persona} />
          <Persona key={persona.ci_id} persona={persona} />
        </div>
      )}
    </ContinuityPage>
  )
}

function List({ shown }: { shown: Known }) {
  const all = personas.value ?? []
  return (
    <ListPane
      label="All personas"
      title={`All personas (${all.length})`}
      keys={all.length > 1 ? ['j', 'k'] : []}
      effect={<span class="hidden">next and previous</span>}
    >
      {all.map((one) => (
        <OpenRow
          key={one.ci_id}
          isOpen={one.ci_id === shown.ci_id}
          onOpen={() => choosePersona(one.ci_id)}
          title={one.name}
        >
          {one.role !== undefined && <bdi>{one.role} · </bdi>}
          {stateOf(one)}
        </OpenRow>
      ))}
    </ListPane>
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

function Persona({ persona }: { persona: Known }) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    personaHeading.current = heading.current
    onPersonaDrawn()
  }, [])
  return (
    <article class="persona" aria-labelledby="persona-name">
      <div class="card">
        <h2 id="persona-name" tabIndex={-1} ref={heading} dir="auto">
          {persona.name}
        </h2>
        {persona.description !== undefined && <p dir="auto">{persona.description}</p>}
        <FactList>
          <Fact name="Role">{persona.role ?? <span class="faint">not given</span>}</Fact>
          <Fact name="Time zone">{persona.time_zone}</Fact>
          <Fact name="Registered">
            <Time at={persona.registered_at} />
          </Fact>
          <Fact name="Sessions">{persona.sessions}</Fact>
          <Fact name="Id">
            <ShortId id={persona.ci_id} />
          </Fact>
        </FactList>
        {persona.last ? (
          <SessionLine session={persona.last} />
        ) : (
          <p class="quiet">No session was started yet.</p>
        )}
        <div class="card-row">
          <button type="button" class="button" onClick={() => goTo('days', persona)}>
            Days
          </button>
          <button type="button" class="button" onClick={() => goTo('collections', persona)}>
            Collections
          </button>
          <button type="button" class="button" onClick={() => goTo('snapshots', persona)}>
            Snapshots and backups
          </button>
        </div>
      </div>
      <section class="card" aria-labelledby="sunrise-title">
        <h2 id="sunrise-title">Sunrise</h2>
        <p class="quiet">The start of {persona.name}’s next session, if it began now.</p>
        <ErrorNotice
          title="The sunrise could not be read."
          error={sunriseFailure.value}
          retry={loadSunrise}
        />
        {sunrise.value?.ci_id === persona.ci_id ? (
          <SunrisePage found={sunrise.value} persona={persona} />
        ) : (
          sunriseFailure.value === undefined && <p aria-busy="true">…</p>
        )}
      </section>
    </article>
  )
}

function SunrisePage({ found, persona }: { found: Sunrise; persona: Known }) {
  const { day, isYesterday, digest, keyEvents: events, open_questions: open, room } = found
  return (
    <>
      {day !== null && digest ? (
        <p>
          {isYesterday ? 'Yesterday, ' : 'Nothing happened yesterday. The last day with a digest is '}
          <button type="button" class="link" onClick={() => goTo('days', persona, day)}>
            {dayWord(day)}
          </button>
          : {countOf(digest.raw, 'record')}.
        </p>
      ) : (
        <EmptyNote title="Nothing to wake up to yet">
          <p>This is where the day before appears: its digest is made when a session ends, or by itself.</p>
        </EmptyNote>
      )}
      <Lines title="Key events" lines={events} />
      <Lines title="Open questions" lines={open} />
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

function Lines({ title, lines }: { title: string; lines: readonly Line[] }) {
  if (lines.length === 0) return null
  return (
    <section aria-label={title}>
      <h3>{title}</h3>
      <LineList lines={lines} />
    </section>
  )
}
