// What else a question may say: of which kinds, whose, when, how different from each other, and where to cut.
import { useComputed, useSignal } from '@preact/signals'
import { CopyButton } from '../../parts/copy-button.tsx'
import { FilterInput } from '../../parts/field/filter-input.tsx'
import { kindNamed } from '../../kind/kind-table.ts'
import { readFilters } from '../../state/recall-option.ts'
import { status } from '../../state/status.ts'
import {
  chooseRecall,
  clearChoice,
  recallChoice,
  type RecallChoice,
  recallInput,
} from '../../state/recall.ts'
import { recallCode } from '../../wording/hit-word.ts'
import { capital } from '../../wording/text-word.ts'
import { localInput } from '../../wording/time-word.ts'

const diversities = [0, 0.3, 0.6, 1]

/** Sets one option, or takes it away. */
function choose<Name extends keyof RecallChoice>(name: Name, value: RecallChoice[Name] | undefined): void {
  chooseRecall({ [name]: value })
}

export function ChoiceFields() {
  const count = useComputed(() => Object.keys(recallChoice.value).length)
  return (
    <details class="question-choices">
      <summary>More options{count.value > 0 && <span class="faint"> ({count.value} set)</span>}</summary>
      <Kinds />
      <div class="question-options">
        <TextChoice name="agent" word="Agent" />
        <TextChoice name="session" word="Session" />
        <AtChoice />
        <FiltersChoice />
        <Diversity />
        <Switch name="cut" value="sharp" word="Only what stands out" />
        <Switch name="exact" value={true} word="Compare every vector" />
        {count.value > 0 && (
          <button type="button" class="link" onClick={clearChoice}>
            Clear
          </button>
        )}
        <CopyButton text={() => recallCode(recallInput.peek())} what="as code" word />
      </div>
    </details>
  )
}

/** Kinds that the book has records of. */
function Kinds() {
  const chosen = recallChoice.value.kinds ?? []
  const there = Object.keys(status.value?.records ?? {}).filter((name) => kindNamed(name) !== undefined)
  if (there.length < 2) return null
  const toggle = (name: string) => {
    const next = chosen.includes(name) ? chosen.filter((one) => one !== name) : [...chosen, name]
    choose('kinds', next.length === 0 ? undefined : next)
  }
  return (
    <fieldset class="question-kinds">
      <legend class="faint">Only these kinds</legend>
      {there.map((name) => (
        <label key={name} class="check">
          <input type="checkbox" checked={chosen.includes(name)} onChange={() => toggle(name)} />{' '}
          {capital(kindNamed(name)?.many ?? name)}
        </label>
      ))}
    </fieldset>
  )
}

function TextChoice({ name, word }: { name: 'agent' | 'session'; word: string }) {
  return (
    <label>
      {word}{' '}
      <FilterInput
        class="input small"
        placeholder="any"
        maxLength={200}
        value={recallChoice.value[name]}
        onDone={(text) => choose(name, text || undefined)}
      />
    </label>
  )
}

/** Filters as `recall` takes them, in JSON. What is none stays in the field to be mended. */
function FiltersChoice() {
  const { filters } = recallChoice.value
  const typed = useSignal<string | undefined>(undefined)
  const isWrong = useSignal(false)
  const set = (text: string) => {
    const read = readFilters(text)
    isWrong.value = text !== '' && !read
    if (isWrong.value) return
    typed.value = undefined
    choose('filters', read)
  }
  return (
    <label>
      Filters{' '}
      <input
        type="text"
        class="input small question-filters"
        autocomplete="off"
        spellcheck={false}
        placeholder='{"situation.domain": "build"}'
        value={typed.value ?? (filters ? JSON.stringify(filters) : '')}
        aria-invalid={isWrong.value}
        aria-describedby={isWrong.value ? 'recall-filters-error' : undefined}
        onInput={(event) => (typed.value = event.currentTarget.value)}
        onChange={(event) => set(event.currentTarget.value.trim())}
      />
      {isWrong.value && (
        <span id="recall-filters-error" class="form-error" role="alert">
          {' '}
          Not a JSON object
        </span>
      )}
    </label>
  )
}

/** The book as it was at a time of the reader's. */
function AtChoice() {
  const set = (text: string) => {
    const at = new Date(text)
    choose('at', Number.isNaN(at.getTime()) ? undefined : at.toISOString())
  }
  return (
    <label>
      As of{' '}
      <input
        class="input small"
        type="datetime-local"
        value={localInput(recallChoice.value.at ?? '')}
        onChange={(event) => set(event.currentTarget.value)}
      />
    </label>
  )
}

function Diversity() {
  return (
    <label>
      Diversity{' '}
      <select
        class="input small"
        value={String(recallChoice.value.diversity ?? 0)}
        onChange={(event) => choose('diversity', Number(event.currentTarget.value) || undefined)}
      >
        {diversities.map((one) => (
          <option key={one} value={String(one)}>
            {one === 0 ? 'as they come' : one.toFixed(1)}
          </option>
        ))}
      </select>
    </label>
  )
}

function Switch<Name extends 'cut' | 'exact'>({
  name,
  value,
  word,
}: {
  name: Name
  value: NonNullable<RecallChoice[Name]>
  word: string
}) {
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={recallChoice.value[name] !== undefined}
        onChange={(event) => choose(name, event.currentTarget.checked ? value : undefined)}
      />{' '}
      {word}
    </label>
  )
}
