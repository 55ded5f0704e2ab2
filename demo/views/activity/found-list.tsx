// What a recall found: each record with its score, what it said then, and whether it still says so.
import { Bar } from '../../parts/bar.tsx'
import { ClampedText } from '../../parts/clamped-text.tsx'
import type { RecallDetail } from '../../state/activity/activity.ts'
import { openRecord } from '../../state/act/open-record.ts'
import { kindWord, countOf } from '../../wording/text-word.ts'
import { Section } from '../kind/section.tsx'

type Hit = RecallDetail['hits'][number]

const nowWords: Readonly<Record<Hit['now'], string>> = {
  same: 'unchanged since',
  changed: 'changed since',
  gone: 'forgotten since',
  locked: 'locked',
}

export function FoundList({ hits }: { hits: readonly Hit[] }) {
  return (
    <Section name={`Found: ${countOf(hits.length, 'record')}`}>
      {hits.length === 0 && <p class="faint">Nothing was found.</p>}
      <ol class="found-list">
        {hits.map((hit, i) => (
          <li key={hit.id}>
            <p class="found-head">
              <span class="hit-rank">{i + 1}</span>
              {hit.now === 'gone' ? (
                <span class="faint">{hit.id}</span>
              ) : (
                <button type="button" class="link" onClick={() => openRecord(hit)}>
                  {hit.id}
                </button>
              )}
              <span class="faint">
                {kindWord(hit.kind)} · {nowWords[hit.now]}
              </span>
            </p>
            <Bar label="score" share={hit.score} title="Hits are ordered by this score, from 0 to 1." />
            {hit.text !== undefined && <ClampedText text={hit.text} />}
          </li>
        ))}
      </ol>
    </Section>
  )
}
