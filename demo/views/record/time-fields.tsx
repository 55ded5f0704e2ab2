// A range of time: a few spans back from now, or two instants in the reader's own zone.
import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'

const spans = [
  ['Last hour', 3_600_000],
  ['Last 24 hours', 86_400_000],
  ['Last 7 days', 7 * 86_400_000],
  ['Last 30 days', 30 * 86_400_000],
] as const

/** Answers `from..to` as stored in the address; either side may be empty. */
export function TimeFields({ onAdd }: { onAdd: (value: string) => void }) {
  const from = useSignal('')
  const to = useSignal('')
  const id = useId()
  const isoOf = (local: string) => (local === '' ? '' : new Date(local).toISOString())
  const add = (event: Event) => {
    event.preventDefault()
    onAdd(`${isoOf(from.value)}..${isoOf(to.value)}`)
  }
  const isReversed = from.value !== '' && to.value !== '' && from.value >= to.value
  return (
    <form class="fields-form" onSubmit={add}>
      <div class="choices" role="group" aria-label="Spans">
        {spans.map(([name, ms]) => (
          <button
            key={name}
            type="button"
            class="button"
            onClick={() => onAdd(`${new Date(Date.now() - ms).toISOString()}..`)}
          >
            {name}
          </button>
        ))}
      </div>
      <label class="labelled" for={`${id}-from`}>
        From
        <input
          id={`${id}-from`}
          class="input"
          type="datetime-local"
          value={from.value}
          onInput={(event) => (from.value = event.currentTarget.value)}
        />
      </label>
      <label class="labelled" for={`${id}-to`}>
        To, not included
        <input
          id={`${id}-to`}
          class="input"
          type="datetime-local"
          value={to.value}
          onInput={(event) => (to.value = event.currentTarget.value)}
        />
      </label>
      {isReversed && <p class="form-error">The range ends before it begins.</p>}
      <button
        type="submit"
        class="button primary"
        disabled={isReversed || (from.value === '' && to.value === '')}
      >
        Add filter
      </button>
    </form>
  )
}
