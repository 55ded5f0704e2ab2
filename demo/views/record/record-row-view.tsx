// One line of a list of records, and its place while the record is still on its way.
import { Icon } from '../../parts/icon.tsx'
import { Mark } from '../../parts/mark.tsx'
import { MarkSigns } from '../../parts/mark-signs.tsx'
import { Time } from '../../parts/time.tsx'
import { marks, type MarkWords } from '../../kind/mark.ts'
import type { View } from '../../kind/view.ts'
import { picked } from '../../state/act/pick.ts'
import { hasColumn, listSettings } from '../../state/list/list-setting.ts'
import type { RecordRow } from '../../kind/record-kind.ts'

const rowHeight = 52
/** 25 of them and more fit into a window of 900 px. */
const compactHeight = 24

export const rowHeightNow = (): number => (listSettings.value.isCompact ? compactHeight : rowHeight)

/** What of a row may be left out. */
export const rowColumns = { details: 'Details', context: 'Context', time: 'Time' } as const

export function RecordRowView({ row, view }: { row: RecordRow | undefined; view: View }) {
  if (!row) {
    return (
      <div class="record-row is-waiting">
        <span class="hidden">Loading</span>
        <span class="bone" />
        <span class="bone short" />
      </div>
    )
  }
  const isPicked = picked.value.has(row.id)
  const { word, tone, isUsual = false }: MarkWords = marks[row.mark]
  return (
    <div
      class={['record-row', isPicked && 'is-picked', listSettings.value.isCompact && 'is-compact']
        .filter(Boolean)
        .join(' ')}
    >
      <Mark mark={row.mark} />
      <p class="record-line">
        {isPicked && (
          <>
            <Icon name="done" size={14} />
            <span class="hidden">Picked. </span>
          </>
        )}
        <span class="record-title" dir="auto">
          {row.title}
        </span>
        <MarkSigns marks={row.marks ?? {}} sensitivity={row.sensitivity} />
        {hasColumn(view, 'time') && (
          <span class="record-when">
            <Time at={row.at} />
          </span>
        )}
      </p>
      <p class="record-line faint">
        {!isUsual && <span class={`record-word ${tone}`}>{word}</span>}
        {hasColumn(view, 'details') && <Details row={row} />}
        {row.share !== undefined && (
          <span class="record-share" aria-hidden="true">
            <span class="bar-fill" style={{ width: `${(row.share * 100).toFixed(0)}%` }} />
          </span>
        )}
        {hasColumn(view, 'context') && <span class="record-aside">{row.aside}</span>}
      </p>
    </div>
  )
}

/** What was searched for, where it stands; else the beginning. */
function Details({ row: { met = [], lead, rest, isProse } }: { row: RecordRow }) {
  if (met.length > 0)
    return (
      <span class="record-lead" dir="auto">
        {met.map(({ text, isMatch }, i) => (isMatch ? <mark key={i}>{text}</mark> : text))}
      </span>
    )
  return (
    <span class="record-lead">
      {lead !== '' && <code>{lead}</code>} {isProse ? rest : <code class="faint">{rest}</code>}
    </span>
  )
}
