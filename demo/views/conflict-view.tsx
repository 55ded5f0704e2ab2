// One conflict: what stands and what lost, side by side, only where they differ.
import { ShortId } from '../parts/short-id.tsx'
import { Time } from '../parts/time.tsx'
import { ValueView } from '../parts/value-view.tsx'
import { CopyButton } from '../parts/copy-button.tsx'
import { go } from '../state/address.ts'
import type { Conflict } from '../state/conflicts.ts'
import { changedPaths, valueAt } from '../wording/change-word.ts'
import { oneLine } from '../wording/text-word.ts'

const policyWords = {
  local_wins: 'the edit of this device stands',
  remote_wins: 'the edit that was first at the edge stands',
  last_write_wins: 'the later edit stands',
  merge: 'the edits were merged',
  manual: 'waits for a decision',
} as const

const head = new Set(['id', 'kind', 'created_at', 'updated_at', 'ver', 'agent', 'session', 'resource'])

export function ConflictView({ conflict }: { conflict: Conflict }) {
  const { current, lost, record, policy, at } = conflict
  const stands = current && Object.fromEntries(Object.entries(current).filter(([key]) => !head.has(key)))
  const paths = stands && lost.body ? changedPaths(stands, lost.body) : []
  return (
    <li class="card conflict">
      <div class="card-row">
        <button type="button" class="link conflict-goal" onClick={() => go({ view: 'traces', id: record })}>
          {current ? oneLine(current.task.goal, 100) : 'A forgotten trace'}
        </button>
        <span class="spacer" />
        <ShortId id={record} what="id of the record" />
      </div>
      <p class="quiet">
        <Time at={at} /> · <code>{policy}</code>: {policyWords[policy]} · the edit of <b>{lost.by}</b> lost
      </p>
      {paths.length === 0 ? (
        <p class="quiet">{plainWords(conflict)}</p>
      ) : (
        <table class="difference">
          <thead>
            <tr>
              <th scope="col">Where</th>
              <th scope="col">What stands</th>
              <th scope="col">What lost</th>
            </tr>
          </thead>
          <tbody>
            {paths.map((path) => (
              <tr key={path}>
                <th scope="row">
                  <code>{path}</code>
                </th>
                <td>
                  <ValueView value={valueAt(stands, path)} depth={2} />
                </td>
                <td>
                  <ValueView value={valueAt(lost.body, path)} depth={2} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {lost.body && (
        <CopyButton text={() => JSON.stringify(lost.body, null, 2)} what="the edit that lost" word />
      )}
    </li>
  )
}

function plainWords({ current, lost }: Conflict): string {
  if (lost.op === 'forget') return 'What lost was to forget this record; it was changed elsewhere and stays.'
  if (!current) return 'The record was forgotten; what lost was a change to it.'
  return 'Both edits said the same.'
}
