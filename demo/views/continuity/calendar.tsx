// The calendar of a month: a grid of days with their digests and sessions, one of which Tab reaches and the arrows move.
import { useEffect, useRef } from 'preact/hooks'
import { Icon } from '../../parts/inline.tsx'
import {
  calendarKey,
  cursorDay,
  type Month,
  monthName,
  openDay,
  openPeriod,
  showMonth,
  takeFocus,
  today,
} from '../../state/continuity/days.ts'
import {
  dayWord,
  monthAfter,
  monthWord,
  type Week,
  weekdays,
  weeksOf,
  weekWord,
} from '../../wording/day-word.ts'
import { countOf } from '../../wording/text-word.ts'

export function Calendar({ found }: { found: Month | undefined }) {
  const name = monthName.value
  const grid = useRef<HTMLTableElement>(null)
  const at = cursorDay()
  useEffect(() => {
    if (takeFocus()) grid.current?.querySelector<HTMLElement>('[tabindex="0"]')?.focus()
  })
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const isDay = event.target instanceof Element && event.target.getAttribute('role') === 'gridcell'
    if (isDay && calendarKey(event.key)) {
      event.preventDefault()
      event.stopPropagation()
    }
  }
  return (
    <>
      <div class="calendar-head">
        <h2 id="calendar-month" aria-live="polite">
          {monthWord(name)}
        </h2>
        <span class="spacer" />
        {today.value.slice(0, 7) !== name && (
          <button type="button" class="button small quiet" onClick={() => showMonth(today.value.slice(0, 7))}>
            This month
          </button>
        )}
        <MonthButton by={-1} name={name} />
        <MonthButton by={1} name={name} />
      </div>
      <table ref={grid} class="calendar" role="grid" aria-labelledby="calendar-month" onKeyDown={onKeyDown}>
        <thead>
          <tr>
            <th scope="col" class="week-head">
              <span class="hidden">Week</span>
            </th>
            {weekdays.map(({ long, short }) => (
              <th key={long} scope="col" abbr={long}>
                {short}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {/* Rows and cells stay where they are when the month changes, and focus with them: a key that is held is not lost. */}
          {weeksOf(name).map((week, row) => (
            <WeekRow key={row} week={week} month={name} at={at} found={found} />
          ))}
        </tbody>
      </table>
    </>
  )
}

function MonthButton({ by, name }: { by: 1 | -1; name: string }) {
  const other = monthAfter(name, by)
  return (
    <button
      type="button"
      class="icon-button"
      title={`${by === 1 ? 'Next' : 'Previous'} month`}
      onClick={() => showMonth(other)}
    >
      <Icon name={by === 1 ? 'right' : 'back'} />
      <span class="hidden">{monthWord(other)}</span>
    </button>
  )
}

interface RowProps {
  readonly week: Week
  readonly month: string
  readonly at: string
  readonly found: Month | undefined
}

function WeekRow({ week: { id, days }, month, at, found }: RowProps) {
  return (
    <tr>
      <th scope="row" class="week-head">
        {found?.digests.has(id) ? (
          <button
            type="button"
            class="link"
            aria-current={openPeriod.value === id ? 'true' : undefined}
            title={`${weekWord(id)}: read its digest`}
            onClick={() => openDay(id)}
          >
            {id.slice(5)}
          </button>
        ) : (
          <span class="faint" title={weekWord(id)}>
            {id.slice(5)}
          </span>
        )}
      </th>
      {days.map((day, column) => (
        <Day key={column} day={day} isCursor={day === at} isOther={!day.startsWith(month)} found={found} />
      ))}
    </tr>
  )
}

interface DayProps {
  readonly day: string
  readonly isCursor: boolean
  readonly isOther: boolean
  readonly found: Month | undefined
}

function Day({ day, isCursor, isOther, found }: DayProps) {
  const digest = found?.digests.get(day)
  const sessions = found?.sessions.get(day)?.length ?? 0
  const isOpen = openPeriod.value === day
  const words = [
    dayWord(day),
    ...(day === today.value ? ['today'] : []),
    ...(digest ? [`digest of ${countOf(digest.raw, 'record')}`] : []),
    ...(sessions > 0 ? [countOf(sessions, 'session')] : []),
    ...(digest || sessions > 0 ? [] : ['nothing']),
  ]
  const classes = [
    'day',
    ...(digest ? ['has-digest'] : []),
    ...(isOther ? ['is-other'] : []),
    ...(day === today.value ? ['is-today'] : []),
  ]
  return (
    <td
      role="gridcell"
      tabIndex={isCursor ? 0 : -1}
      aria-selected={isOpen}
      title={words.join(', ')}
      class={classes.join(' ')}
      onClick={() => openDay(day)}
    >
      <span class="hidden">{words.join(', ')}</span>
      <span class="day-number" aria-hidden="true">
        {Number(day.slice(8))}
      </span>
      <span class="day-signs" aria-hidden="true">
        {digest && <span class="day-records">{digest.raw}</span>}
        {sessions > 0 && <span class="day-sessions">{'•'.repeat(Math.min(sessions, 4))}</span>}
      </span>
    </td>
  )
}
