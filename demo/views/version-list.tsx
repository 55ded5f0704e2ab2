// The earlier versions of the open record, newest first, each with what it said.
import { Time } from '../parts/time.tsx'
import { ValueView } from '../parts/value-view.tsx'
import type { Version } from '../room/room.ts'
import { changedPaths } from '../wording/change-word.ts'

export function VersionList({ versions }: { versions: readonly Version[] }) {
  if (versions.length < 2) return null
  const newestFirst = versions.toReversed()
  return (
    <section class="star" aria-label="History">
      <h3>History</h3>
      <ol class="star-body versions">
        {newestFirst.map((version, i) => {
          const before = newestFirst[i + 1]
          return (
            <li key={version.version}>
              <details>
                <summary>
                  Version {version.version}
                  {i === 0 && ', current'}
                  <span class="faint">
                    {' '}
                    · <Time at={version.at} /> · {version.agent}
                  </span>
                  <span class="version-change">{changeWords(version, before)}</span>
                </summary>
                {version.body && <ValueView value={version.body} depth={1} />}
              </details>
            </li>
          )
        })}
      </ol>
    </section>
  )
}

function changeWords(version: Version, before: Version | undefined): string {
  if (version.op === 'forget') return 'forgotten'
  if (!before?.body || !version.body) return 'first stored'
  const paths = changedPaths(before.body, version.body)
  if (paths.length === 0) return 'nothing changed'
  const named = paths.slice(0, 3).join(', ')
  return paths.length > 3 ? `changed ${named} and ${paths.length - 3} more` : `changed ${named}`
}
