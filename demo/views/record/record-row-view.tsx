// One line of a list of records, and its place while the record is still on its way.
import { Mark } from '../../parts/mark.tsx'
import { MarkSigns } from '../../parts/mark-signs.tsx'
import { Time } from '../../parts/time.tsx'
import { leaving } from '../../state/act/leaving.ts'
import { marks, type MarkWords } from '../../kind/mark.ts'
import type { RecordRow } from '../../kind/record-kind.ts'

export const rowHeight = 52

export function RecordRowView({ row }: { row: RecordRow | undefined }) {
  if (!row) {
    return (
      <div class="record-row is-waiting">
        <span class="hidden">Loading</span>
        <span class="bone" />
        <span class="bone short" />
      </div>
    )
  }
  const isLeaving = leaving.value.has(row.id)
  const { word, tone, isUsual = false }: MarkWords = marks[row.mark]
  return (
    <div class={isLeaving ? 'record-row is-leaving' : 'record-row'}>
      <Mark mark={row.mark} />
      <p class="record-line">
        <span class="record-title" dir="auto">
          {row.title}
        </span>
        <MarkSigns marks={row.marks ?? {}} sensitivity={row.sensitivity} />
        <span class="record-when">
          <Time at={row.at} />
        </span>
      </p>
      <p class="record-line faint">
        {isLeaving && <span class="record-word bad">being forgotten</span>}
        {!isUsual && <span class={`record-word ${tone}`}>{word}</span>}
        <span class="record-lead">
          {row.lead !== '' && <code>{row.lead}</code>}{' '}
          {row.isProse ? row.rest : <code class="faint">{row.rest}</code>}
        </span>
        {row.share !== undefined && (
          <span class="record-share" aria-hidden="true">
            <span class="bar-fill" style={{ width: `${(row.share * 100).toFixed(0)}%` }} />
          </span>
        )}
        <span class="record-aside">{row.aside}</span>
      </p>
    </div>
  )
}
