// Lines of a digest, a sunrise, a pattern or a snapshot, each with the records that it rests on. A record leads to the view of
// its kind; where its kind has none, it opens in place.
import { useSignal } from '@preact/signals'
import { Dialog } from '../../parts/dialog.tsx'
import { useAnswer } from '../../parts/use-answer.ts'
import { ValueView } from '../../parts/value-view.tsx'
import { kindNamed } from '../../kind/kind-table.ts'
import type { BookRecord } from '../../kind/record-kind.ts'
import { now } from '../../page/clock.ts'
import { openRecord } from '../../state/act/open-record.ts'
import { openedBook } from '../../state/book.ts'
import type { Line } from '../../state/continuity/personas.ts'
import { shortId, oneLine, valueLine, kindWord } from '../../wording/text-word.ts'
import { exactTime, relativeTime } from '../../wording/time-word.ts'

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

/** What a record says of itself, in a line. */
function titleOf(record: BookRecord): string {
  const kind = kindNamed(record.kind)
  if (kind) return oneLine(kind.row(record).title, 120)
  const { content, name } = record as { content?: unknown; name?: unknown }
  return valueLine(content ?? name ?? record, 120)
}

export function RecordRef({ id }: { id: string }) {
  const isOpen = useSignal(false)
  const { value, error } = useAnswer(async () => (await openedBook()).records.get({ id }), [id])
  if (error !== undefined) return <span class="record-ref is-gone">{shortId(id)} could not be read</span>
  if (value === undefined)
    return (
      <span class="record-ref is-gone" aria-busy="true">
        …
      </span>
    )
  if (value === null)
    return (
      <span class="record-ref is-gone" title={id}>
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
