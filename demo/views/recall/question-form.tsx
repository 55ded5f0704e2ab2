// The question of the recall playground, how many hits of which least score are wanted, and what else it may say.
import { useSignal } from '@preact/signals'
import { useEffect, useId } from 'preact/hooks'
import { Icon } from '../../parts/icon.tsx'
import { KeyCap } from '../../parts/key-cap.tsx'
import { address, go } from '../../state/address.ts'
import { questionInput } from '../../state/act/focus.ts'
import { ask, chooseRecall, recallFloor, recallLimit } from '../../state/recall.ts'
import { ChoiceFields } from './choice-fields.tsx'

const limits = [5, 10, 20, 50]
const floors = [0, 0.2, 0.4, 0.6]

/** A question of then may have had another one. */
const withOwn = (usual: readonly number[], own: number) => [...new Set([...usual, own])].sort((a, b) => a - b)

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
            value={String(recallLimit.value)}
            onChange={(event) => chooseRecall({ limit: Number(event.currentTarget.value) })}
          >
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
