// The hits of two recalls beside each other: where each stood then, where it stands now, and what that means.
import { openRecord } from '../../state/act/open-record.ts'
import { changeWord, type HitChange, placeWord } from '../../wording/hit-change.ts'

interface HitChangeTableProps {
  readonly label: string
  /** What the hits of before are called. */
  readonly then: string
  readonly changes: readonly HitChange[]
  /** How a record is called; default its id. */
  nameOf?(change: HitChange): string
}

export function HitChangeTable({ label, then, changes, nameOf = ({ id }) => id }: HitChangeTableProps) {
  return (
    <div class="table-scroll" tabIndex={0} role="region" aria-label={label}>
      <table class="log-table">
        <thead>
          <tr>
            <th scope="col">Record</th>
            <th scope="col">{then}</th>
            <th scope="col">Now</th>
            <th scope="col">Change</th>
          </tr>
        </thead>
        <tbody>
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
        </tbody>
      </table>
    </div>
  )
}
