// One conflict: the common base, the edit of this device and the other edit, side by side where they differ. A person
// chooses a side for each field; the chosen values become the record.
import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import { ShortId } from '../../parts/copy-button.tsx'
import { Time } from '../../parts/inline.tsx'
import { ValueView } from '../../parts/value-view.tsx'
import { kindNamed } from '../../kind/kind-table.ts'
import { type Choice, type Conflict, contentOf, decide } from '../../state/sync/conflicts.ts'
import { openRecord } from '../../state/act/open-record.ts'
import { status } from '../../state/status.ts'
import {
  byWords,
  plainWords,
  policyWords,
  type SideName,
  type Sides,
  sidesOf,
} from '../../wording/conflict-word.ts'
import {
  differingPaths,
  fieldAt,
  type Fields,
  isSame,
  type Path,
  withField,
} from '../../wording/difference-word.ts'
import { oneLine } from '../../wording/text-word.ts'

export function ConflictView({ conflict, isDecided }: { conflict: Conflict; isDecided: boolean }) {
  const { entry, current, isSealed } = conflict
  const kind = kindNamed(entry.kind)
  const device = status.value?.sync.device
  const title = current && kind ? oneLine(kind.row(current).title, 100) : undefined
  const sides = sidesOf(entry, device)
  const plain = plainWords(entry)
  const name = title ?? `A ${isSealed ? 'sealed' : 'forgotten'} ${kind?.one ?? entry.kind}`
  return (
    <li class="card conflict" aria-label={`Conflict about ${name}`}>
      <div class="card-row">
        {current && kind ? (
          <button type="button" class="link conflict-goal" onClick={() => openRecord(current)} dir="auto">
            {name}
          </button>
        ) : (
          <span class="conflict-goal">{name}</span>
        )}
        <span class="faint">{kind?.one ?? entry.kind}</span>
        <span class="spacer" />
        <ShortId id={entry.record} of="id of the record" />
      </div>
      <p class="quiet">
        <Time at={entry.at} /> · <code>{entry.policy}</code>: {policyWords[entry.policy]} · the edit of{' '}
        <b>{byWords(entry.loser.by, device)}</b> {entry.state === 'open' ? 'waits' : 'lost'}
        {isDecided && ' · decided'}
      </p>
      {isSealed ? (
        <p class="quiet">Unlock the book to read both edits and to decide.</p>
      ) : plain === undefined ? (
        <Fieldwise conflict={conflict} sides={sides} device={device} />
      ) : (
        <Whole conflict={conflict} words={plain} />
      )}
    </li>
  )
}

/** A conflict where one side has no fields: one side or the other. */
function Whole({ conflict, words }: { conflict: Conflict; words: string }) {
  const { entry, current } = conflict
  const { loser } = entry
  return (
    <>
      <p>{words}</p>
      {loser.body && (
        <details>
          <summary>Overridden change</summary>
          <ValueView value={loser.body} depth={1} />
        </details>
      )}
      <div class="card-row">
        <button type="button" class="button" onClick={() => void decide(conflict, { choose: 'winner' })}>
          {current ? 'Keep as is' : 'Keep it forgotten'}
        </button>
        <button type="button" class="button" onClick={() => void decide(conflict, { choose: 'loser' })}>
          {loser.op === 'forget' ? 'Forget the record' : 'Restore that change'}
        </button>
      </div>
    </>
  )
}

const sideNames = ['base', 'mine', 'theirs'] as const

interface FieldwiseProps {
  readonly conflict: Conflict
  readonly sides: Sides
  readonly device: string | undefined
}

/** The bodies of the sides, and the fields where the two edits differ. */
function comparisonOf({ entry, current }: Conflict, sides: Sides) {
  const bodies: Readonly<Partial<Record<SideName, Fields>>> = {
    ...(entry.base ? { base: entry.base } : {}),
    ...(sides.mine.body ? { mine: sides.mine.body } : {}),
    ...(sides.theirs?.body ? { theirs: sides.theirs.body } : {}),
  }
  const { mine = {}, theirs = {} } = bodies
  return {
    bodies,
    names: sideNames.filter((name) => bodies[name]),
    paths: differingPaths([mine, theirs]),
    body: current ? contentOf(current) : (sides.theirs?.body ?? {}),
  }
}

/** Every field that differs is a choice between the sides. */
function Fieldwise({ conflict, sides, device }: FieldwiseProps) {
  const { current } = conflict
  const { bodies, names, paths, body } = comparisonOf(conflict, sides)
  const chosen = useSignal<Readonly<Record<number, SideName>>>({})
  const result = paths.reduce<Fields>((before, path, at) => {
    const name = chosen.value[at]
    return name === undefined ? before : withField(before, path, fieldAt(bodies[name], path))
  }, body)
  const isUnchanged = current !== undefined && isSame(result, body)
  const titles: Readonly<Record<SideName, string>> = {
    base: 'Base',
    mine: `Mine: ${byWords(sides.mine.by, device)}`,
    theirs: `Theirs: ${byWords(sides.theirs?.by ?? '', device)}`,
  }
  const save = async () => {
    await decide(conflict, choiceOf(result, isUnchanged, conflict))
    chosen.value = {}
  }
  if (paths.length === 0) return <p class="quiet">Both edits are the same.</p>
  return (
    <>
      <table class={`sides sides-${names.length}`}>
        <caption class="hidden">The value of each side, and the one to keep</caption>
        <thead>
          <tr>
            <th scope="col">Field</th>
            {names.map((name) => (
              <th key={name} scope="col">
                <span>{titles[name]}</span>
                {name !== 'base' && (
                  <span class="side-state">{(name === 'mine') === sides.mineLost ? 'lost' : 'kept'}</span>
                )}
                <button
                  type="button"
                  class="button small"
                  onClick={() => (chosen.value = Object.fromEntries(paths.map((_, at) => [at, name])))}
                >
                  Take all <span class="hidden">of {titles[name]}</span>
                </button>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {paths.map((path, at) => (
            <FieldRow
              key={path.join('\u0000')}
              path={path}
              bodies={bodies}
              titles={titles}
              chosen={
                chosen.value[at] ??
                names.findLast((name) => isSame(fieldAt(bodies[name], path), fieldAt(body, path)))
              }
              onChoose={(name) => (chosen.value = { ...chosen.value, [at]: name })}
            />
          ))}
        </tbody>
      </table>
      <div class="card-row">
        <p class="quiet" role="status">
          {resultWord(isUnchanged, current !== undefined)}
        </p>
        <span class="spacer" />
        {Object.keys(chosen.value).length > 0 && (
          <button type="button" class="button" onClick={() => (chosen.value = {})}>
            Reset
          </button>
        )}
        <button type="button" class="button primary" onClick={() => void save()}>
          {isUnchanged ? 'Keep current' : 'Save this choice'}
        </button>
      </div>
    </>
  )
}

function resultWord(isUnchanged: boolean, exists: boolean): string {
  if (isUnchanged) return 'Current value'
  return exists
    ? 'Selected values will be saved'
    : 'The record is forgotten. Saving restores it with the selected values.'
}

interface FieldRowProps {
  readonly path: Path
  readonly bodies: Readonly<Partial<Record<SideName, Fields>>>
  readonly titles: Readonly<Record<SideName, string>>
  readonly chosen: SideName | undefined
  readonly onChoose: (name: SideName) => void
}

function FieldRow({ path, bodies, titles, chosen, onChoose }: FieldRowProps) {
  const group = useId()
  const field = path.join('.')
  return (
    <tr>
      <th scope="row">
        <code>{field}</code>
      </th>
      {sideNames.map((name) => {
        if (!bodies[name]) return null
        const value = fieldAt(bodies[name], path)
        const isChanged =
          name !== 'base' && bodies.base !== undefined && !isSame(value, fieldAt(bodies.base, path))
        return (
          <td key={name} class={isChanged ? 'is-changed' : undefined}>
            <label class="side-choice">
              <input
                type="radio"
                name={group}
                checked={chosen === name}
                onChange={() => onChoose(name)}
                aria-label={`${field}: ${titles[name]}${isChanged ? ', changed' : ''}`}
              />
              <span class="side-name">{titles[name]}</span>
              {isChanged && <span class="side-state">changed</span>}
            </label>
            {value === undefined ? <span class="faint">missing</span> : <ValueView value={value} depth={2} />}
          </td>
        )
      })}
    </tr>
  )
}

/** The simplest choice with this result, so that the log shows which side was right. */
function choiceOf(result: Fields, isUnchanged: boolean, { entry }: Conflict): Choice {
  if (isUnchanged && entry.state !== 'decided') return { choose: 'winner' }
  if (isSame(result, entry.loser.body)) return { choose: 'loser' }
  return { choose: 'body', body: result } as Choice
}
