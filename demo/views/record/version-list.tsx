// Versions of the open record, newest first, and any two of them compared: differing fields, and differing words in texts.
import { useSignal } from '@preact/signals'
import { Icon, Time } from '../../parts/inline.tsx'
import { ValueView } from '../../parts/value-view.tsx'
import type { Version } from '../../kind/record-kind.ts'
import { restoreVersion } from '../../state/act/edit.ts'
import { changedPaths, differingPaths, fieldAt } from '../../wording/difference-word.ts'
import { countOf } from '../../wording/text-word.ts'
import { textDifference } from '../../wording/text-difference.ts'

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

/** Unchanged text around a change; what lies further off is left out. */
const around = 120

function VersionDifference({ versions }: { versions: readonly Version[] }) {
  const held = versions.filter(({ body }) => body)
  const from = useSignal<number | undefined>(undefined)
  const to = useSignal<number | undefined>(undefined)
  if (held.length < 2) return null
  const older = held.find(({ version }) => version === from.value) ?? held.at(-2)
  const newer = held.find(({ version }) => version === to.value) ?? held.at(-1)
  if (!older?.body || !newer?.body) return null
  const before = older.body
  const after = newer.body
  const paths = differingPaths([before, after])
  return (
    <details class="comparison">
      <summary>Compare two versions</summary>
      <div class="field-row">
        <Choice name="From version" held={held} chosen={older} choose={(one) => (from.value = one)} />
        <Choice name="To version" held={held} chosen={newer} choose={(one) => (to.value = one)} />
      </div>
      {paths.length === 0 && <p class="faint">No differences.</p>}
      <dl class="differences">
        {paths.map((path) => (
          <div key={path.join('\n')}>
            <dt>{path.join('.')}</dt>
            <dd dir="auto">
              <Difference before={fieldAt(before, path)} after={fieldAt(after, path)} />
            </dd>
          </div>
        ))}
      </dl>
    </details>
  )
}

interface ChoiceProps {
  readonly name: string
  readonly held: readonly Version[]
  readonly chosen: Version
  readonly choose: (version: number) => void
}

function Choice({ name, held, chosen, choose }: ChoiceProps) {
  return (
    <label class="labelled">
      {name}
      <select
        class="input"
        value={chosen.version}
        onChange={({ currentTarget: { value } }) => choose(Number(value))}
      >
        {held.map(({ version }) => (
          <option key={version} value={version}>
            {version}
          </option>
        ))}
      </select>
    </label>
  )
}

function Difference({ before, after }: { before: unknown; after: unknown }) {
  const parts = textDifference(textOf(before), textOf(after))
  return (
    <>
      {parts.map(({ change, text }, i) => {
        if (change === 'removed') return <Marked key={i} tag="del" word="removed" text={text} />
        if (change === 'added') return <Marked key={i} tag="ins" word="added" text={text} />
        return <span key={i}>{shortened(text, { isFirst: i === 0, isLast: i === parts.length - 1 })}</span>
      })}
    </>
  )
}

/** A change by line, colour and, for those who hear the page, by word. */
function Marked({ tag: Tag, word, text }: { tag: 'del' | 'ins'; word: string; text: string }) {
  return (
    <Tag>
      <span class="hidden">{word}: </span>
      {text}
    </Tag>
  )
}

/** Kept text without what lies far from any change. */
function shortened(text: string, { isFirst, isLast }: { isFirst: boolean; isLast: boolean }): string {
  if (text.length <= around * 2) return text
  const head = isFirst ? '' : text.slice(0, around)
  const tail = isLast ? '' : text.slice(-around)
  return `${head} … ${tail}`
}

function textOf(value: unknown): string {
  if (value === undefined) return ''
  return typeof value === 'string' ? value : JSON.stringify(value, undefined, 2)
}
