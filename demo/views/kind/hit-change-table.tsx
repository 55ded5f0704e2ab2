// The hits of two recalls side by side: the rank of each then and now, and the change.
import { LogTable } from '../../parts/table.tsx'
import { openRecord } from '../../state/act/open-record.ts'
import { changeWord, type HitChange, placeWord } from '../../wording/hit-change.ts'

interface HitChangeTableProps {
  readonly label: string
  /** The head of the column of earlier ranks. */
  readonly then: string
  readonly changes: readonly HitChange[]
  /** The name of a record; default its id. */
  nameOf?(change: HitChange): string
}

export function HitChangeTable({ label, then, changes, nameOf = ({ id }) => id }: HitChangeTableProps) {
  return (
    <LogTable label={label} heads={['Record', then, 'Now', 'Change']}>
      {changes.map((change) => (
        <tr key={change.id}>
          <td>
            <button type="button" class="link" onClick={() => openRecord(change)}>
              {nameOf(change)}
            </button>
          </td>
          <td>{placeWord(change.placeThen, change.scoreThen)}</td>
          <td>{placeWord(change.placeNow, change.scoreNow)}</td>
          <td>{changeWord(change)}</td>
        </tr>
      ))}
    </LogTable>
  )
}
