// The earlier versions of the open record, newest first, each with what it said.
import { useSignal } from '@preact/signals'
import { Icon } from '../../parts/icon.tsx'
import { Time } from '../../parts/time.tsx'
import { ValueView } from '../../parts/value-view.tsx'
import type { Version } from '../../kind/record-kind.ts'
import { restoreVersion } from '../../state/record/restore.ts'
import { changedPaths } from '../../wording/difference-word.ts'
import { countOf } from '../../wording/text-word.ts'
import { VersionDifference } from './version-difference.tsx'

const listedAtOnce = 5

interface VersionListProps {
  readonly id: string
  readonly versions: readonly Version[]
}

export function VersionList({ id, versions }: VersionListProps) {
  const isAll = useSignal(false)
  if (versions.length < 2) return null
  const newestFirst = versions.toReversed()
  const listed = newestFirst.slice(0, isAll.value ? undefined : listedAtOnce)
  const more = newestFirst.length - listed.length
  return (
    <section class="star" aria-label="History">
      <h3>History</h3>
      <div class="star-body">
        <ol class="versions">
          {listed.map((version, i) => {
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
                  {i > 0 && version.body && (
                    <button
                      type="button"
                      class="button small"
                      onClick={() => void restoreVersion(id, version.version)}
                    >
                      <Icon name="restore" size={14} />
                      Restore version {version.version}
                    </button>
                  )}
                </details>
              </li>
            )
          })}
          {more > 0 && (
            <li>
              <button type="button" class="link" onClick={() => (isAll.value = true)}>
                Show {countOf(more, 'earlier version')}
              </button>
            </li>
          )}
        </ol>
        <VersionDifference versions={versions} />
      </div>
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
