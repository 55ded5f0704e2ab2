// Any JSON value as a person reads it: fields with their names, lists, long text clamped, deep parts folded.
import { countOf } from '../wording/text-word.ts'
import { ClampedText } from './clamped-text.tsx'

const openDepth = 3
const listedAtOnce = 100

export function ValueView({ value, depth = 0 }: { value: unknown; depth?: number }) {
  if (value === null || value === undefined) return <span class="value-plain faint">{String(value)}</span>
  if (typeof value === 'string') return <TextValue text={value} />
  if (typeof value !== 'object') return <code class="value-plain">{String(value)}</code>
  const entries = Object.entries(value)
  const isList = Array.isArray(value)
  if (entries.length === 0) return <span class="value-plain faint">{isList ? 'empty list' : 'empty'}</span>
  const listed = <Entries entries={entries} isList={isList} depth={depth} />
  if (depth < openDepth) return listed
  return (
    <details>
      <summary>{countOf(entries.length, isList ? 'entry' : 'field', isList ? 'entries' : 'fields')}</summary>
      {listed}
    </details>
  )
}

function Entries({
  entries,
  isList,
  depth,
}: {
  entries: [string, unknown][]
  isList: boolean
  depth: number
}) {
  const more = entries.length - listedAtOnce
  return (
    <dl class={isList ? 'fields list' : 'fields'}>
      {entries.slice(0, listedAtOnce).map(([name, value]) => (
        <div key={name} class={isBlock(value) ? 'field is-block' : 'field'}>
          <dt>{isList ? Number(name) + 1 : name}</dt>
          <dd>
            <ValueView value={value} depth={depth + 1} />
          </dd>
        </div>
      ))}
      {more > 0 && <p class="faint">{countOf(more, 'entry', 'entries')} more in the raw JSON.</p>}
    </dl>
  )
}

function TextValue({ text }: { text: string }) {
  if (text === '') return <span class="value-plain faint">empty text</span>
  return <ClampedText text={text} mono={text.includes('\n')} />
}

/** Values that need the width of the pane, so they are below their name. */
function isBlock(value: unknown): boolean {
  if (typeof value === 'string') return value.includes('\n') || value.length > 120
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0
}
