// Memories that say nearly the same as one, and one memory made of those that are chosen.
import { useSignal } from '@preact/signals'
import { Dialog } from '../../parts/dialog.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { useAnswer } from '../../parts/use-answer.ts'
import type { Memory } from '../../state/consent/memories.ts'
import { comparing, consolidate, findSimilar, type Similar } from '../../state/consent/memory-life.ts'
import { countOf, shareWord } from '../../wording/text-word.ts'

export function SimilarDialog({ memory }: { memory: Memory }) {
  const { value, error } = useAnswer(() => findSimilar(memory), [memory.id])
  const close = () => (comparing.value = undefined)
  return (
    <Dialog title="Similar memories" onClose={close} wide>
      <blockquote class="quoted" dir="auto">
        {memory.content}
      </blockquote>
      {error !== undefined && <ErrorNotice title="The memories could not be compared." error={error} />}
      {value === undefined && error === undefined && <p aria-busy="true">Comparing…</p>}
      {value?.sealed !== undefined && (
        <p class="notice" role="note">
          {countOf(value.sealed, 'locked memory', 'locked memories')} could not be compared.
        </p>
      )}
      {value && value.similar.length === 0 && <p>No similar memories.</p>}
      {value && value.similar.length > 0 ? (
        <Choice memory={memory} similar={value.similar} />
      ) : (
        <div class="dialog-actions">
          <button type="button" class="button" onClick={close}>
            Close
          </button>
        </div>
      )}
    </Dialog>
  )
}

function Choice({ memory, similar }: { memory: Memory; similar: readonly Similar[] }) {
  const fits = (one: Memory) => one.memory_type === memory.memory_type && one.status === 'approved'
  const chosen = useSignal<readonly string[]>(
    similar.flatMap(({ memory: one }) => (fits(one) ? [one.id] : [])),
  )
  const written = useSignal<string | undefined>(undefined)
  const failure = useSignal<unknown>(undefined)
  const isBusy = useSignal(false)
  const together = [memory, ...similar.map((one) => one.memory)].filter(
    ({ id }) => id === memory.id || chosen.value.includes(id),
  )
  const content = written.value ?? [...new Set(together.map((one) => one.content.trim()))].join('\n')
  const make = async () => {
    isBusy.value = true
    failure.value = await consolidate(
      together.map(({ id }) => id),
      content,
    )
    isBusy.value = false
  }
  return (
    <form
      class="fields-form"
      onSubmit={(event) => {
        event.preventDefault()
        void make()
      }}
    >
      <fieldset class="similar-list">
        <legend>Merge with these</legend>
        {similar.map(({ memory: one, likeness, by }) => (
          <label key={one.id} class="check">
            <input
              type="checkbox"
              checked={chosen.value.includes(one.id)}
              disabled={!fits(one)}
              onChange={({ currentTarget: { checked } }) => {
                const others = chosen.value.filter((id) => id !== one.id)
                chosen.value = checked ? [...others, one.id] : others
              }}
            />
            <span>
              <bdi>{one.content}</bdi>{' '}
              <span class="faint">
                {shareWord(likeness)} alike by {by}
                {!fits(one) && `, ${one.memory_type}: only memories of the same type can be merged`}
              </span>
            </span>
          </label>
        ))}
      </fieldset>
      <label class="labelled">
        Merged text
        <textarea
          class="input"
          rows={4}
          required
          dir="auto"
          value={content}
          onInput={({ currentTarget }) => (written.value = currentTarget.value)}
        />
      </label>
      {failure.value !== undefined && (
        <ErrorNotice title="The memories could not be merged." error={failure.value} />
      )}
      <div class="dialog-actions">
        <button type="button" class="button" onClick={() => (comparing.value = undefined)}>
          Cancel
        </button>
        <button type="submit" class="button primary" disabled={together.length < 2 || isBusy.value}>
          {isBusy.value ? 'Consolidating…' : `Consolidate ${together.length}`}
        </button>
      </div>
    </form>
  )
}
