// The view of days: the calendar of a month, the digest and sessions of the open day or week, and patterns of all days.
import { LockedNote } from '../../parts/list-part.tsx'
import { Question } from '../../parts/dialog.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import {
  closeDay,
  consolidate,
  daysFailure,
  isMakingDigests,
  loadMonth,
  makeMissingDigests,
  month,
  monthName,
  openDay,
  openDigest,
  openPeriod,
  type Pattern,
  planConsolidation,
  planned,
  remakeDigest,
  takeOpening,
  today,
} from '../../state/continuity/days.ts'
import type { Digest, Known, Line } from '../../state/continuity/personas.ts'
import { dayAfter, dayWord, firstDayOf, isDay, shortDayWord, weekWord } from '../../wording/day-word.ts'
import { capital, countOf } from '../../wording/text-word.ts'
import { Calendar } from './calendar.tsx'
import { ContinuityPage } from './continuity-page.tsx'
import { LineList, SessionLine } from './line-list.tsx'
import { useEffect, useRef } from 'preact/hooks'
import { Icon } from '../../parts/inline.tsx'

export function DayView() {
  return <ContinuityPage title="Days">{(persona) => <Days persona={persona} />}</ContinuityPage>
}

function Days({ persona }: { persona: Known }) {
  const found = month.value?.persona === persona.ci_id ? month.value : undefined
  const isRead = found?.month === monthName.value
  return (
    <>
      <ErrorNotice title="The days could not be read." error={daysFailure.value} retry={loadMonth} />
      {found && <LockedNote count={found.sealed} one="digest" />}
      <div class="day-panes">
        <section class="card calendar-card" aria-label="Calendar" aria-busy={isRead ? undefined : 'true'}>
          <Calendar found={isRead ? found : undefined} />
          <div class="card-row">
            <MakeDigests />
            <button
              type="button"
              class="button small"
              disabled={isMakingDigests.value}
              onClick={() => void planConsolidation()}
            >
              Consolidate…
            </button>
          </div>
        </section>
        {openPeriod.value === undefined ? (
          <NothingOpen persona={persona} isEmpty={isRead && found.digests.size + found.sessions.size === 0} />
        ) : (
          <DigestCard key={openPeriod.value} period={openPeriod.value} persona={persona} isRead={isRead} />
        )}
      </div>
      {found && <Patterns patterns={found.patterns} />}
      {planned.value && <ConsolidateQuestion />}
    </>
  )
}

function NothingOpen({ persona, isEmpty }: { persona: Known; isEmpty: boolean }) {
  return (
    <section class="card day-card is-empty" aria-label="Day">
      <p class="empty-title">{isEmpty ? 'Nothing this month' : 'No day is open'}</p>
      <p class="quiet">
        {isEmpty
          ? `This is where ${persona.name}’s sessions and digests appear. A digest is made when a session ends, or by itself.`
          : 'Choose a day to read its digest, and which records each line rests on.'}
      </p>
    </section>
  )
}

function Patterns({ patterns }: { patterns: readonly Pattern[] }) {
  return (
    <section aria-label="Patterns" class="patterns">
      <h2>Patterns {patterns.length > 0 && `(${patterns.length})`}</h2>
      {patterns.length === 0 ? (
        <p class="quiet">
          This is where people, projects and topics appear that come back on at least three days.
          Consolidation finds them.
        </p>
      ) : (
        <ul class="queue">
          {patterns.map(({ id, about, type, days, first_day: first, last_day: last, lines }) => (
            <li key={id} class="pattern">
              <p class="section-head">
                <b dir="auto">{about}</b>
                <span class="faint">
                  {capital(type)} · {countOf(days, 'day')}, from{' '}
                  <button type="button" class="link" onClick={() => openDay(first)}>
                    {shortDayWord(first)}
                  </button>{' '}
                  to{' '}
                  <button type="button" class="link" onClick={() => openDay(last)}>
                    {shortDayWord(last)}
                  </button>
                </span>
              </p>
              <details>
                <summary>
                  {countOf(lines.length, 'line')} of its days<span class="hidden"> about {about}</span>
                </summary>
                <LineList lines={lines} />
              </details>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

const reasons: Readonly<Record<string, string>> = {
  keep: 'marked to be kept',
  recent: 'younger than seven days',
  undigested: 'in no digest yet',
  sealed: 'locked',
}

function ConsolidateQuestion() {
  const plan = planned.value
  if (!plan) return null
  return (
    <Question
      title="Consolidate?"
      onClose={() => (planned.value = undefined)}
      act="Consolidate"
      onAct={consolidate}
    >
      <ul class="plain-list">
        <li>
          {plan.digests.length === 0
            ? 'No digest is missing.'
            : `${countOf(plan.digests.length, 'digest')} of days and weeks would be made.`}
        </li>
        <li>
          {plan.archived === 0
            ? 'Nothing would be archived.'
            : `${countOf(plan.archived, 'record')} would be archived: out of recall and lists, and kept.`}
        </li>
        {Object.entries(plan.retained).map(([reason, count]) => (
          <li key={reason}>
            {countOf(count, 'record')} would stay: {reasons[reason] ?? reason.replaceAll('_', ' ')}.
          </li>
        ))}
      </ul>
    </Question>
  )
}

const parts = {
  summary: 'Summary',
  decisions: 'Decisions and discoveries',
  relationships: 'Relationships',
  projects: 'Projects',
  open_questions: 'Open questions',
} as const

interface CardProps {
  readonly period: string
  readonly persona: Known
  readonly isRead: boolean
}

function DigestCard({ period, persona, isRead }: CardProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    if (takeOpening()) heading.current?.focus()
  }, [])
  const digest = openDigest.value
  const sessions = month.value?.sessions.get(period) ?? []
  return (
    <section class="card day-card" aria-labelledby="day-title">
      <div class="section-head">
        <h2 id="day-title" tabIndex={-1} ref={heading}>
          {isDay(period) ? dayWord(period) : weekTitle(period)}
        </h2>
        <button type="button" class="icon-button small" title="Close (Esc)" onClick={closeDay}>
          <Icon name="close" />
          <span class="hidden">Close</span>
        </button>
      </div>
      {digest ? (
        <DigestParts digest={digest} />
      ) : (
        <NoDigest period={period} persona={persona} isRead={isRead} />
      )}
      {sessions.length > 0 && (
        <section aria-label="Sessions">
          <h3>Sessions ({sessions.length})</h3>
          <ul class="lines">
            {sessions.map((one) => (
              <li key={one.session} class="line">
                <SessionLine session={one} />
              </li>
            ))}
          </ul>
        </section>
      )}
    </section>
  )
}

function weekTitle(week: string): string {
  const first = firstDayOf(week)
  return `${weekWord(week)}: ${shortDayWord(first)} to ${shortDayWord(dayAfter(first, 6))}`
}

function DigestParts({ digest }: { digest: Digest }) {
  const filled = Object.entries(parts).filter(([part]) => linesOf(digest, part).length > 0)
  return (
    <>
      <p class="memory-facts">
        <span>
          {digest.period === 'week' ? 'of ' : ''}
          {countOf(digest.raw, 'record')}
        </span>
        <span>
          {digest.method === 'extractive'
            ? 'extractive summary, no model used'
            : 'written by a language model'}
        </span>
        <span>{digest.time_zone}</span>
      </p>
      {filled.length === 0 && <p class="quiet">Nothing in its records to summarize.</p>}
      {filled.map(([part, title]) => (
        <section key={part} aria-label={title}>
          <h3>{title}</h3>
          <LineList lines={linesOf(digest, part)} />
        </section>
      ))}
      <div class="card-row">
        <button
          type="button"
          class="button small"
          disabled={isMakingDigests.value}
          title="Regenerate it from the records of that time"
          onClick={() => void remakeDigest(digest)}
        >
          Regenerate
        </button>
      </div>
    </>
  )
}

const linesOf = (digest: Digest, part: string): readonly Line[] => digest[part as keyof typeof parts]

function NoDigest({ period, persona, isRead }: CardProps) {
  if (!isRead) return <p aria-busy="true">…</p>
  if (!isDay(period)) return <p class="quiet">No digest yet. It is made when the week ends.</p>
  if (period > today.value) return <p class="quiet">This day has not begun yet in {persona.time_zone}.</p>
  return (
    <>
      <p class="quiet">
        {period === today.value
          ? 'No digest yet. It is made when a session ends or at sundown.'
          : `No digest. ${persona.name} wrote nothing on this day, or it was not made yet.`}
      </p>
      <div class="card-row">
        <MakeDigests />
        {period < today.value && (
          <button type="button" class="button small quiet" onClick={() => openDay(today.value)}>
            Today
          </button>
        )}
      </div>
    </>
  )
}

function MakeDigests() {
  return (
    <button
      type="button"
      class="button small"
      disabled={isMakingDigests.value}
      onClick={() => void makeMissingDigests()}
    >
      Make missing digests
    </button>
  )
}
