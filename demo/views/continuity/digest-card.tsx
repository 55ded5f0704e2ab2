// The day or the week that is open: its digest, each line with the records it rests on, and the sessions of the day.
import { useEffect, useRef } from 'preact/hooks'
import { Icon } from '../../parts/icon.tsx'
import { isTelling, month, openDigest, tellAnew, tellMissing, today } from '../../state/continuity/days.ts'
import { closeDay, openDay, takeOpening } from '../../state/continuity/day-cursor.ts'
import type { Digest, Known, Line } from '../../state/continuity/personas.ts'
import { dayAfter, dayWord, firstDayOf, isDay, shortDayWord, weekWord } from '../../wording/day-word.ts'
import { countOf } from '../../wording/text-word.ts'
import { LineList } from './line-list.tsx'
import { SessionLine } from './session-line.tsx'

const parts = {
  summary: 'Summary',
  decisions: 'Decisions and discoveries',
  relationships: 'Relationships',
  projects: 'Projects',
  open_questions: 'Open questions',
} as const

interface CardProps {
  readonly period: string
  readonly who: Known
  readonly isRead: boolean
}

export function DigestCard({ period, who, isRead }: CardProps) {
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
      {digest ? <Told digest={digest} /> : <NotTold period={period} who={who} isRead={isRead} />}
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

function Told({ digest }: { digest: Digest }) {
  const filled = Object.entries(parts).filter(([part]) => linesOf(digest, part).length > 0)
  return (
    <>
      <p class="memory-said">
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
          disabled={isTelling.value}
          title="Regenerate it from the records of that time"
          onClick={() => void tellAnew(digest)}
        >
          Regenerate
        </button>
      </div>
    </>
  )
}

const linesOf = (digest: Digest, part: string): readonly Line[] => digest[part as keyof typeof parts]

function NotTold({ period, who, isRead }: CardProps) {
  if (!isRead) return <p aria-busy="true">…</p>
  if (!isDay(period)) return <p class="quiet">No digest yet. It is made when the week ends.</p>
  if (period > today.value) return <p class="quiet">This day has not begun yet in {who.time_zone}.</p>
  return (
    <>
      <p class="quiet">
        {period === today.value
          ? 'No digest yet. It is made when a session ends or at sundown.'
          : `No digest. ${who.name} wrote nothing on this day, or it was not made yet.`}
      </p>
      <div class="card-row">
        <button
          type="button"
          class="button small"
          disabled={isTelling.value}
          onClick={() => void tellMissing()}
        >
          Make missing digests
        </button>
        {period < today.value && (
          <button type="button" class="button small quiet" onClick={() => openDay(today.value)}>
            Today
          </button>
        )}
      </div>
    </>
  )
}
