// Until when a token holds: an instant in the reader's own zone, or a span from now.
import type { Signal } from '@preact/signals'
import { useId } from 'preact/hooks'
import { localInput } from '../../wording/time-word.ts'

const spans = [
  ['1 hour', 3_600_000],
  ['1 day', 86_400_000],
  ['30 days', 30 * 86_400_000],
  ['1 year', 365 * 86_400_000],
] as const

export function ExpiryField({ until, latest }: { until: Signal<string>; latest: string | undefined }) {
  const id = useId()
  const pick = (ms: number) => {
    const wanted = Date.now() + ms
    until.value = new Date(latest === undefined ? wanted : Math.min(wanted, Date.parse(latest))).toISOString()
  }
  return (
    <div class="expiry">
      <label class="labelled" for={id}>
        Until
        <input
          id={id}
          class="input"
          type="datetime-local"
          required
          value={localInput(until.value)}
          onInput={(event) => {
            const ms = Date.parse(event.currentTarget.value)
            if (!Number.isNaN(ms)) until.value = new Date(ms).toISOString()
          }}
        />
      </label>
      <div class="expiry-spans" role="group" aria-label="From now">
        {spans.map(([name, ms]) => (
          <button key={name} type="button" class="button small" onClick={() => pick(ms)}>
            {name}
          </button>
        ))}
      </div>
    </div>
  )
}
