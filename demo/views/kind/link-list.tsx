// The records that the open one cites, and those that cite it; each opens in its place.
import { Icon, Time } from '../../parts/inline.tsx'
import { Mark } from '../../parts/mark.tsx'
import { ShortId } from '../../parts/copy-button.tsx'
import { kindNamed } from '../../kind/kind-table.ts'
import type { BookRecord } from '../../kind/record-kind.ts'
import { openRecord } from '../../state/act/open-record.ts'
import type { LinkGroup } from '../../state/record/record-read.ts'
import { countWord, oneLine } from '../../wording/text-word.ts'

const listedAtOnce = 20

export function LinkList({ groups }: { groups: readonly LinkGroup[] }) {
  const filled = groups.filter(({ records, missing }) => records.length + missing.length > 0)
  if (filled.length === 0) return null
  return (
    <section class="star" aria-label="Links">
      <h3>Links</h3>
      <div class="star-body">
        {filled.map((group) => (
          <Group key={group.name} group={group} />
        ))}
      </div>
    </section>
  )
}

function Group({ group: { name, direction, records, missing } }: { group: LinkGroup }) {
  const more = records.length - listedAtOnce
  return (
    <div class="links">
      {records.length > 0 && (
        <h4 class="star-name">
          <Icon name={direction === 'to' ? 'arrowIn' : 'arrowOut'} size={12} /> {name}{' '}
          {countWord(records.length)}
        </h4>
      )}
      <ul>
        {records.slice(0, listedAtOnce).map((record) => (
          <li key={record.id}>
            <RecordLink record={record} />
          </li>
        ))}
      </ul>
      {missing.map((id) => (
        <p key={id} class="link-missing">
          <span class="faint">{name}: a record that is not in this book</span> <ShortId id={id} />
        </p>
      ))}
      {more > 0 && <p class="faint">{countWord(more)} more are named in the raw JSON.</p>}
    </div>
  )
}

/** A record in one line; pressing it opens it in the view of its kind. */
export function RecordLink({ record }: { record: BookRecord }) {
  const kind = kindNamed(record.kind)
  if (!kind) {
    return (
      <p class="link-missing">
        <span class="faint">{record.kind}</span> <ShortId id={record.id} />
      </p>
    )
  }
  const row = kind.row(record)
  return (
    <button type="button" class="link-row" onClick={() => openRecord(record)}>
      <Mark mark={row.mark} />
      <span class="link-title" dir="auto">
        {oneLine(row.title, 120)}
      </span>
      <span class="faint">
        <Time at={row.at} />
      </span>
    </button>
  )
}
