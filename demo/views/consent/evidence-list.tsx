// What a proposal rests on: words of the user, and records, each of which opens here, or in the view of its kind.
import { Time } from '../../parts/time.tsx'
import { useAnswer } from '../../parts/use-answer.ts'
import { ValueView } from '../../parts/value-view.tsx'
import { kindNamed } from '../../kind/kind-table.ts'
import { openRecord } from '../../state/act/open-record.ts'
import { openedBook } from '../../state/book.ts'
import type { Evidence } from '../../state/consent/queue.ts'
import { shortId, valueLine } from '../../wording/text-word.ts'

const words: Readonly<Record<string, string>> = {
  user_statement: 'Said by the user',
  inferred: 'Inferred',
  confirmed: 'Confirmed by the user',
  external: 'From outside',
}

export function EvidenceList({ evidence }: { evidence: readonly Evidence[] }) {
  if (evidence.length === 0) return <p class="quiet">No evidence given.</p>
  return (
    <ol class="evidence">
      {evidence.map(({ type, quote, timestamp, record }, i) => (
        <li key={i}>
          <p class="faint">
            {words[type ?? ''] ?? 'Evidence'}
            {timestamp !== undefined && (
              <>
                {' '}
                · <Time at={timestamp} />
              </>
            )}
          </p>
          {quote !== undefined && (
            <blockquote class="quoted" dir="auto">
              {quote}
            </blockquote>
          )}
          {record !== undefined && <RecordLine id={record} />}
        </li>
      ))}
    </ol>
  )
}

/** A record in one line; it opens in place, and leads to the view of its kind where there is one. */
export function RecordLine({ id }: { id: string }) {
  const { value, error } = useAnswer(async () => (await openedBook()).records.get({ id }), [id])
  if (error !== undefined) return <p class="quiet">Record {shortId(id)} could not be read.</p>
  if (value === undefined) return <p aria-busy="true">…</p>
  if (value === null) return <p class="quiet">Record {shortId(id)} is no longer in this book.</p>
  const kind = kindNamed(value.kind)
  const { content } = value as { content?: unknown }
  const title = kind ? kind.row(value).title : valueLine(content ?? value, 200)
  return (
    <details class="evidence-record">
      <summary>
        <span class="faint">{kind?.one ?? value.kind}</span> <bdi>{title}</bdi>
      </summary>
      <ValueView value={value} depth={1} />
      {kind && (
        <button type="button" class="button small" onClick={() => openRecord(value)}>
          Open {kind.one}
        </button>
      )}
    </details>
  )
}
