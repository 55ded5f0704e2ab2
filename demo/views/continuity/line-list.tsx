// Lines of a digest, a sunrise, a pattern or a snapshot, each with its records, which open in the view of their kind or
// in place; and a session as a line.
import { useSignal } from '@preact/signals'
import { Dialog } from '../../parts/dialog.tsx'
import { useAnswer } from '../../parts/hook.ts'
import { ValueView } from '../../parts/value-view.tsx'
import { kindNamed } from '../../kind/kind-table.ts'
import type { BookRecord } from '../../kind/record-kind.ts'
import { now } from '../../page/clock.ts'
import { openRecord } from '../../state/act/open-record.ts'
import { openedBook } from '../../state/book.ts'
import type { Line, Session } from '../../state/continuity/personas.ts'
import { countOf, kindWord, oneLine, shortId, valueLine } from '../../wording/text-word.ts'
import { exactTime, relativeTime } from '../../wording/time-word.ts'
import { Time } from '../../parts/inline.tsx'

export function LineList({ lines }: { lines: readonly Line[] }) {
  return (
    <ul class="lines">
      {lines.map((line) => (
        <li key={`${line.text} ${line.records[0] ?? ''}`} class="line">
          <span class="line-text" dir="auto">
            {line.text}
          </span>
          <Evidence ids={line.records} />
        </li>
      ))}
    </ul>
  )
}

const shownAtOnce = 4

function Evidence({ ids }: { ids: readonly string[] }) {
  const isAll = useSignal(false)
  const shown = isAll.value ? ids : ids.slice(0, shownAtOnce)
  const more = ids.length - shown.length
  return (
    <span class="line-records">
      {shown.map((id) => (
        <RecordRef key={id} id={id} />
      ))}
      {more > 0 && (
        <button type="button" class="record-ref" onClick={() => (isAll.value = true)}>
          {more} more<span class="hidden"> records</span>
        </button>
      )}
    </span>
  )
}

/** A record as one line of text. */
export function titleOf(record: BookRecord): string {
  const kind = kindNamed(record.kind)
  if (kind) return oneLine(kind.row(record).title, 120)
  const { content, name } = record as { content?: unknown; name?: unknown }
  return valueLine(content ?? name ?? record, 120)
}

export function RecordRef({ id }: { id: string }) {
  const isOpen = useSignal(false)
  const { value, error } = useAnswer(async () => (await openedBook()).records.get({ id }), [id])
  if (error !== undefined) return <span class="record-ref is-missing">{shortId(id)} could not be read</span>
  if (value === undefined)
    return (
      <span class="record-ref is-missing" aria-busy="true">
        …
      </span>
    )
  if (value === null)
    return (
      <span class="record-ref is-missing" title={id}>
        no longer in this book
      </span>
    )
  const kind = kindNamed(value.kind)
  const at = kind?.row(value).at ?? value.created_at
  const title = titleOf(value)
  return (
    <>
      <button
        type="button"
        class="record-ref"
        title={`${title}\n${exactTime(at)}`}
        onClick={() => (kind ? openRecord(value) : (isOpen.value = true))}
      >
        {kind?.one ?? kindWord(value.kind)}
        <span class="faint"> {relativeTime(at, now.value)}</span>
        <span class="hidden">: {title}</span>
      </button>
      {isOpen.value && (
        <Dialog title={`${kindWord(value.kind)} ${shortId(id)}`} wide onClose={() => (isOpen.value = false)}>
          <ValueView value={value} depth={1} />
        </Dialog>
      )}
    </>
  )
}

const reasons: Readonly<Record<string, string>> = {
  request: 'ended by its agent',
  disconnected: 'its tab was closed',
  idle: 'idle for 30 minutes',
}

const sessionStates = { open: 'Open', ending: 'Ending', ended: 'Ended' } as const

export function SessionLine({ session }: { session: Session }) {
  const { state, reason, started_at: began, ended_at: end, archived, snapshot } = session
  return (
    <span class="session-line">
      <span class={`state ${state === 'open' ? 'state-active' : ''}`}>{sessionStates[state]}</span>
      <span>
        started <Time at={began} />
      </span>
      {end !== undefined && (
        <span>
          ended <Time at={end} />
          {reason !== undefined && ` (${reasons[reason] ?? reason})`}
        </span>
      )}
      {state === 'ending' && <span>its end was interrupted and continues by itself</span>}
      {snapshot !== undefined && <span>snapshot taken</span>}
      {archived > 0 && <span>{countOf(archived, 'record')} archived</span>}
    </span>
  )
}
