// The view of activity: recalls, contexts, writes and refused calls on this device, with caller and time.
import { More, moveFocus } from '../../parts/list-part.tsx'
import { activityFields, activitySpans, sortWords } from '../../kind/view-field.ts'
import { FilterText } from '../../parts/field/filter-input.tsx'
import { EmptyNote } from '../../parts/empty-note.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { Mark } from '../../parts/mark.tsx'
import { Time } from '../../parts/inline.tsx'
import { ChoiceField } from '../../parts/field/form-field.tsx'
import { choiceWords } from '../../kind/filter-field.ts'
import { chipOf, narrow } from '../../state/address.ts'
import { chipWords } from '../../state/filter-chip.ts'
import { now } from '../../page/clock.ts'
import {
  type ActivityEntry,
  activityFailure,
  type ActivityList,
  activityList,
  isActivityNarrowed,
  loadActivity,
  loadOlderActivity,
  nameOf,
  openEntry,
  openEntryName,
} from '../../state/activity.ts'
import { countOf, kindsWord, kindWord, oneLine } from '../../wording/text-word.ts'
import { duration } from '../../wording/time-word.ts'
import { EntryView, lostWords } from './entry-view.tsx'

export function ActivityView() {
  const list = activityList.value
  return (
    <div class={openEntryName.value === undefined ? 'panes' : 'panes has-detail'} onKeyDown={closeByKey}>
      <h1 id="activity-title" class="hidden">
        Activity
      </h1>
      <section class="pane list-pane" aria-labelledby="activity-title">
        <header class="pane-head">
          <Filters />
        </header>
        <div class="scroll">
          <ErrorNotice
            title="The activity could not be read."
            error={activityFailure.value}
            retry={loadActivity}
          />
          {list && (list.entries.length === 0 ? <Nothing /> : <Entries list={list} />)}
        </div>
      </section>
      <EntryView />
    </div>
  )
}

/** Esc closes the open entry, and the keyboard is back where it was opened. */
function closeByKey(event: KeyboardEvent): void {
  const name = openEntryName.peek()
  if (event.key !== 'Escape' || name === undefined) return
  event.preventDefault()
  openEntry(undefined)
  requestAnimationFrame(() => document.querySelector<HTMLElement>(`[data-entry="${name}"]`)?.focus())
}

const fields = activityFields.activity ?? {}

/** How far back, or the days that a chart was clicked at. */
function TimeChoice() {
  const between = chipOf('time')
  const days =
    between === undefined
      ? {}
      : { between: chipWords({ field: 'time', value: between }, fields, now.value).value }
  return (
    <ChoiceField
      label="Time"
      all="Last 7 days"
      words={{ ...activitySpans, ...days }}
      value={between === undefined ? chipOf('since') : 'between'}
      onChoose={(since) => narrow({ since, time: '', entry: '' })}
    />
  )
}

function Exact({ field, hint }: { field: string; hint: string }) {
  return (
    <FilterText
      label={fields[field]?.name}
      placeholder={hint}
      value={chipOf(field)}
      onDone={(text) => narrow({ [field]: text, entry: '' })}
    />
  )
}

function Filters() {
  return (
    <div class="activity-filters" role="search" aria-label="Filter the activity">
      <ChoiceField
        label={fields['sort']?.name}
        all="All activity"
        words={choiceWords(fields['sort'])}
        value={chipOf('sort')}
        onChoose={(sort) => narrow({ sort, entry: '' })}
      />
      <TimeChoice />
      <Exact field="agent" hint="exact name" />
      <Exact field="record" hint="id of a recalled record" />
    </div>
  )
}

function Nothing() {
  if (isActivityNarrowed())
    return (
      <EmptyNote title="No activity matches these filters.">
        <p>
          <button
            type="button"
            class="button"
            onClick={() => narrow({ sort: '', agent: '', record: '', since: '', time: '' })}
          >
            Clear filters
          </button>
        </p>
      </EmptyNote>
    )
  return (
    <EmptyNote title="No activity yet">
      <p>
        This is where recalls and prompt contexts appear, each with its question and its hits, next to writes
        and refused calls. Call <code>book.recall()</code>, or ask something under Recall.
      </p>
      <p class="faint">
        Kept on this device for 7 days, never synced. <code>openDaybook({'{ activity: false }'})</code> turns
        it off.
      </p>
    </EmptyNote>
  )
}

function Entries({ list: { entries, cursor } }: { list: ActivityList }) {
  return (
    <>
      <ol class="activity-list" aria-label="Activity, newest first" onKeyDown={moveBetweenEntries}>
        {entries.map((entry) => (
          <Row key={nameOf(entry)} entry={entry} />
        ))}
      </ol>
      {cursor !== undefined && (
        <div class="activity-more">
          <More onMore={loadOlderActivity}>Show older activity</More>
        </div>
      )}
    </>
  )
}

function Row({ entry }: { entry: ActivityEntry }) {
  const name = nameOf(entry)
  const isOpen = openEntryName.value === name
  return (
    <li class={isOpen ? 'activity-row is-open' : 'activity-row'}>
      <button
        type="button"
        class="activity-open"
        data-entry={name}
        aria-current={isOpen}
        onClick={() => openEntry(name)}
      >
        <Mark mark={sortWords[entry.sort].mark} />
        <span class="activity-sort">{sortWords[entry.sort].one}</span>
        <span class="activity-text" dir="auto">
          <EntryText entry={entry} />
        </span>
        <span class="faint activity-figures">{figuresOf(entry)}</span>
        <span class="faint">
          <bdi>{entry.caller === '' ? 'unknown' : entry.caller}</bdi>
        </span>
        <span class="faint">
          <Time at={entry.at} />
        </span>
      </button>
    </li>
  )
}

function EntryText({ entry: { question, missing, capability } }: { entry: ActivityEntry }) {
  if (question) return <>{oneLine(question.text, 160) || '(empty question)'}</>
  if (missing) return <span class="faint">{lostWords[missing]}</span>
  return <code>{capability === '' ? 'unknown call' : capability}</code>
}

function figuresOf({ found, durationMs, outcome, kinds = [], count = 0 }: ActivityEntry): string {
  if (found !== undefined) return `${countOf(found, 'hit')} · ${duration(durationMs ?? 0)}`
  if (outcome !== 'ok') return outcome ?? ''
  const [kind = 'record', another] = kinds
  const changed = another === undefined ? kind : 'record'
  return countOf(count, kindWord(changed), kindsWord(changed))
}

/** Arrows, j and k move between entries. While one is open, the next one opens. */
function moveBetweenEntries(event: KeyboardEvent): void {
  const next = moveFocus(event, '.activity-open')
  if (next && openEntryName.peek() !== undefined) openEntry(next.dataset['entry'], 'replace')
}
