// The view of days: the calendar of a month, the day or the week that is open, and the patterns of all days.
import { Dialog } from '../../parts/dialog.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import {
  consolidate,
  daysFailure,
  isTelling,
  loadMonth,
  month,
  monthName,
  openPeriod,
  type Pattern,
  planConsolidation,
  planned,
  tellMissing,
} from '../../state/continuity/days.ts'
import { openDay } from '../../state/continuity/day-cursor.ts'
import type { Known } from '../../state/continuity/personas.ts'
import { shortDayWord } from '../../wording/day-word.ts'
import { countOf, capital } from '../../wording/text-word.ts'
import { Calendar } from './calendar.tsx'
import { ContinuityPage } from './continuity-page.tsx'
import { DigestCard } from './digest-card.tsx'
import { LineList } from './line-list.tsx'

export function DayView() {
  return <ContinuityPage title="Days">{(who) => <Days who={who} />}</ContinuityPage>
}

function Days({ who }: { who: Known }) {
  const found = month.value?.persona === who.ci_id ? month.value : undefined
  const isRead = found?.month === monthName.value
  return (
    <>
      {daysFailure.value !== undefined && (
        <ErrorNotice
          title="The days could not be read."
          error={daysFailure.value}
          retry={() => void loadMonth()}
        />
      )}
      {found && found.sealed > 0 && (
        <p class="notice" role="note">
          {countOf(found.sealed, 'digest')} locked: unlock the keys of this book in Storage.
        </p>
      )}
      <div class="day-panes">
        <section class="card calendar-card" aria-label="Calendar" aria-busy={isRead ? undefined : 'true'}>
          <Calendar found={isRead ? found : undefined} />
          <div class="card-row">
            <button
              type="button"
              class="button small"
              disabled={isTelling.value}
              onClick={() => void tellMissing()}
            >
              Make missing digests
            </button>
            <button
              type="button"
              class="button small"
              disabled={isTelling.value}
              onClick={() => void planConsolidation()}
            >
              Consolidate…
            </button>
          </div>
        </section>
        {openPeriod.value === undefined ? (
          <NothingOpen who={who} isEmpty={isRead && found.digests.size + found.sessions.size === 0} />
        ) : (
          <DigestCard key={openPeriod.value} period={openPeriod.value} who={who} isRead={isRead} />
        )}
      </div>
      {found && <Patterns patterns={found.patterns} />}
      {planned.value && <ConsolidateQuestion />}
    </>
  )
}

function NothingOpen({ who, isEmpty }: { who: Known; isEmpty: boolean }) {
  return (
    <section class="card day-card is-empty" aria-label="Day">
      <p class="empty-title">{isEmpty ? 'Nothing this month' : 'No day is open'}</p>
      <p class="quiet">
        {isEmpty
          ? `This is where ${who.name}’s sessions and digests appear. A digest is made when a session ends, or by itself.`
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
  untold: 'in no digest yet',
  sealed: 'locked',
}

function ConsolidateQuestion() {
  const would = planned.value
  if (!would) return null
  const close = () => (planned.value = undefined)
  const keeps = Object.entries(would.retained)
  return (
    <Dialog title="Consolidate?" onClose={close}>
      <ul class="plain-list">
        <li>
          {would.digests.length === 0
            ? 'No digest is missing.'
            : `${countOf(would.digests.length, 'digest')} of days and weeks would be made.`}
        </li>
        <li>
          {would.archived === 0
            ? 'Nothing would be archived.'
            : `${countOf(would.archived, 'record')} would be archived: out of recall and lists, and kept.`}
        </li>
        {keeps.map(([reason, count]) => (
          <li key={reason}>
            {countOf(count, 'record')} would stay: {reasons[reason] ?? reason.replaceAll('_', ' ')}.
          </li>
        ))}
      </ul>
      <div class="dialog-actions">
        <button type="button" class="button" onClick={close}>
          Cancel
        </button>
        <button type="button" class="button primary" onClick={() => void consolidate()}>
          Consolidate
        </button>
      </div>
    </Dialog>
  )
}
