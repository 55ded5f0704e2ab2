// One conflict: what both were made from, what this device said and what the other said, side by side where they differ.
// Every field is a choice between them; what is chosen becomes what the record says.
import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import { ShortId } from '../../parts/short-id.tsx'
import { Time } from '../../parts/time.tsx'
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
        <ShortId id={entry.record} what="id of the record" />
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

/** One side has no fields: it is one or the other. */
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

interface FieldwiseProps {
  readonly conflict: Conflict
  readonly sides: Sides
  readonly device: string | undefined
}

function Fieldwise({ conflict, sides, device }: FieldwiseProps) {
  const { entry, current } = conflict
  const group = useId()
  const bodies: Readonly<Partial<Record<SideName, Fields>>> = {
    ...(entry.base ? { base: entry.base } : {}),
    ...(sides.mine.body ? { mine: sides.mine.body } : {}),
    ...(sides.theirs?.body ? { theirs: sides.theirs.body } : {}),
  }
  const names = (['base', 'mine', 'theirs'] as const).filter((name) => bodies[name])
  const stands = current ? contentOf(current) : (sides.theirs?.body ?? {})
  const { mine = {}, theirs = {} } = bodies
  const paths = differingPaths([mine, theirs])
  const chosen = useSignal<Readonly<Record<number, SideName>>>({})
  const choiceAt = (path: Path, at: number): SideName | undefined =>
    chosen.value[at] ?? names.findLast((name) => isSame(fieldAt(bodies[name], path), fieldAt(stands, path)))
  const made = paths.reduce<Fields>((body, path, at) => {
    const name = chosen.value[at]
    return name === undefined ? body : withField(body, path, fieldAt(bodies[name], path))
  }, stands)
  const isAsIs = current !== undefined && isSame(made, stands)
  const takeAll = (name: SideName) => (chosen.value = Object.fromEntries(paths.map((_, at) => [at, name])))
  const titles: Readonly<Record<SideName, string>> = {
    base: 'Base',
    mine: `Mine: ${byWords(sides.mine.by, device)}`,
    theirs: `Theirs: ${byWords(sides.theirs?.by ?? '', device)}`,
  }
  if (paths.length === 0) return <p class="quiet">Both edits said the same.</p>
  return (
    <>
      <table class={`sides sides-${names.length}`}>
        <caption class="hidden">What each side said, and which value to keep</caption>
        <thead>
          <tr>
            <th scope="col">Field</th>
            {names.map((name) => (
              <th key={name} scope="col">
                <span>{titles[name]}</span>
                {name !== 'base' && (
                  <span class="side-state">{(name === 'mine') === sides.mineLost ? 'lost' : 'kept'}</span>
                )}
                <button type="button" class="button small" onClick={() => takeAll(name)}>
                  Take all <span class="hidden">of {titles[name]}</span>
                </button>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {paths.map((path, at) => (
            <tr key={path.join('\u0000')}>
              <th scope="row">
                <code>{path.join('.')}</code>
              </th>
              {names.map((name) => {
                const value = fieldAt(bodies[name], path)
                const isChanged =
                  name !== 'base' && entry.base !== undefined && !isSame(value, fieldAt(entry.base, path))
                return (
                  <td key={name} class={isChanged ? 'is-changed' : undefined}>
                    <label class="side-choice">
                      <input
                        type="radio"
                        name={`${group}-${at}`}
                        checked={choiceAt(path, at) === name}
                        onChange={() => (chosen.value = { ...chosen.value, [at]: name })}
                        aria-label={`${path.join('.')}: ${titles[name]}${isChanged ? ', changed' : ''}`}
                      />
                      <span class="side-name">{titles[name]}</span>
                      {isChanged && <span class="side-state">changed</span>}
                    </label>
                    {value === undefined ? (
                      <span class="faint">missing</span>
                    ) : (
                      <ValueView value={value} depth={2} />
                    )}
                  </td>
                )
              })}
            </tr>
          ))}
        </tbody>
      </table>
      <div class="card-row">
        <p class="quiet" role="status">
          {isAsIs
            ? 'Current value'
            : current
              ? 'Selected values will be saved'
              : 'The record is forgotten. Saving restores it with the selected values.'}
        </p>
        <span class="spacer" />
        {Object.keys(chosen.value).length > 0 && (
          <button type="button" class="button" onClick={() => (chosen.value = {})}>
            Reset
          </button>
        )}
        <button
          type="button"
          class="button primary"
          onClick={() =>
            void decide(conflict, choiceOf(made, isAsIs, conflict)).then(() => (chosen.value = {}))
          }
        >
          {isAsIs ? 'Keep current' : 'Save this choice'}
        </button>
      </div>
    </>
  )
}

/** The plainest way to say it, so that the log shows who had it right. */
function choiceOf(made: Fields, isAsIs: boolean, { entry }: Conflict): Choice {
  if (isAsIs && entry.state !== 'decided') return { choose: 'winner' }
  if (isSame(made, entry.loser.body)) return { choose: 'loser' }
  return { choose: 'body', body: made } as Choice
}
