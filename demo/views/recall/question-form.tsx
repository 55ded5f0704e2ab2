// The question of the recall playground with its options: limit, least score, kinds, owner, time, diversity, cut.
import { Check } from '../../parts/field/form-field.tsx'
import { useComputed, useSignal } from '@preact/signals'
import { useEffect, useId } from 'preact/hooks'
import { Icon, KeyCap } from '../../parts/inline.tsx'
import { address, go } from '../../state/address.ts'
import { questionInput } from '../../state/act/focus.ts'
import {
  ask,
  chooseRecall,
  clearChoice,
  recallChoice,
  type RecallChoice,
  recallFloor,
  recallInput,
  recallLimit,
} from '../../state/recall.ts'
import { CopyButton } from '../../parts/copy-button.tsx'
import { FilterInput } from '../../parts/field/filter-input.tsx'
import { kindNamed } from '../../kind/kind-table.ts'
import { recalledKinds } from '../../kind/recalled-kind.ts'
import { readFilters } from '../../state/recall-option.ts'
import { status } from '../../state/status.ts'
import { recallCode } from '../../wording/hit-word.ts'
import { capital, kindsWord } from '../../wording/text-word.ts'
import { localInput } from '../../wording/time-word.ts'

const limits = [5, 10, 20, 50]
const floors = [0, 0.2, 0.4, 0.6]

/** A repeated question may have another value. */
const withOwn = (usual: readonly number[], own = usual[0] ?? 0) =>
  [...new Set([...usual, own])].sort((a, b) => a - b)

export function QuestionForm() {
  const { question } = address.value
  const text = useSignal(question)
  const id = useId()
  useEffect(() => {
    text.value = question
  }, [question])
  const submit = (event: Event) => {
    event.preventDefault()
    if (text.value === address.peek().question) void ask()
    else go({ question: text.value, id: undefined })
  }
  return (
    <form class="question-form" onSubmit={submit}>
      <div class="search-box">
        <Icon name="recall" />
        <label class="hidden" for={id}>
          Question
        </label>
        <input
          ref={questionInput}
          id={id}
          type="text"
          enterKeyHint="go"
          placeholder="What do you want to recall?"
          autocomplete="off"
          maxLength={10_000}
          value={text.value}
          onInput={(event) => (text.value = event.currentTarget.value)}
        />
        <KeyCap name="/" />
      </div>
      <button type="submit" class="button primary" disabled={text.value.trim() === ''}>
        Recall
      </button>
      <div class="question-options">
        <label>
          At most{' '}
          <select
            class="input small"
            value={String(recallLimit.value ?? '')}
            onChange={(event) => chooseRecall({ limit: Number(event.currentTarget.value) || undefined })}
          >
            <option value="">10 hits, or 40 of a whole answer</option>
            {withOwn(limits, recallLimit.value).map((limit) => (
              <option key={limit} value={String(limit)}>
                {limit} hits
              </option>
            ))}
          </select>
        </label>
        <label>
          Score at least{' '}
          <select
            class="input small"
            value={String(recallFloor.value)}
            onChange={(event) => chooseRecall({ minScore: Number(event.currentTarget.value) })}
          >
            {withOwn(floors, recallFloor.value).map((floor) => (
              <option key={floor} value={String(floor)}>
                {floor === 0 ? 'any' : floor.toFixed(1)}
              </option>
            ))}
          </select>
        </label>
      </div>
      <ChoiceFields />
    </form>
  )
}

const diversities = [0, 0.3, 0.6, 1]

/** Sets one option, or takes it away. */
function choose<Name extends keyof RecallChoice>(name: Name, value: RecallChoice[Name] | undefined): void {
  chooseRecall({ [name]: value })
}

function ChoiceFields() {
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
        <CopyButton text={() => recallCode(recallInput.peek())} of="as code" word />
      </div>
    </details>
  )
}

/** Kinds that the book has records of. */
function Kinds() {
  const chosen = recallChoice.value.kinds ?? []
  const there = Object.keys(status.value?.records ?? {}).filter((name) => recalledKinds.includes(name))
  if (there.length < 2) return null
  const toggle = (name: string) => {
    const next = chosen.includes(name) ? chosen.filter((one) => one !== name) : [...chosen, name]
    choose('kinds', next.length === 0 ? undefined : next)
  }
  return (
    <fieldset class="question-kinds">
      <legend class="faint">Only these kinds</legend>
      {there.map((name) => (
        <Check key={name} value={chosen.includes(name)} onValue={() => toggle(name)}>
          {capital(kindNamed(name)?.many ?? kindsWord(name))}
        </Check>
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

/** Filters of `recall` as JSON. An invalid text stays in the field. */
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

/** The book at an earlier time, in the reader's zone. */
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
    <Check
      value={recallChoice.value[name] !== undefined}
      onValue={(isOn) => choose(name, isOn ? value : undefined)}
    >
      {word}
    </Check>
  )
}
