// Failures by action as bars, those with the most first. Each opens the failed traces of its action.
import { Bar } from '../../parts/bar.tsx'
import { failuresByAction, type TraceSample } from '../../kind/chart/trace-figure.ts'
import { openFailures } from '../../state/chart/open-day.ts'
import { countOf, countWord, shareWord } from '../../wording/text-word.ts'

const shownActions = 12

interface SampleProps {
  readonly samples: readonly TraceSample[]
  readonly isReading: boolean
}

export function FailureChart({ samples, isReading }: SampleProps) {
  const figures = failuresByAction(samples)
  const most = figures[0]?.failed ?? 1
  if (samples.length === 0) return null
  return (
    <section class="time-chart" aria-label="Failures by action">
      <h2>Failures by action</h2>
      {figures.length === 0 && !isReading && <p class="faint">None of these traces failed.</p>}
      <ul class="failure-list">
        {figures.slice(0, shownActions).map(({ action, count, failed }) => (
          <li key={action}>
            <button
              type="button"
              class="failure-bar"
              title="Opens the failed traces of this action"
              onClick={() => openFailures(action)}
            >
              <Bar
                label={action}
                share={failed / most}
                text={`${countWord(failed)} of ${countWord(count)} · ${shareWord(failed / count)}`}
              />
            </button>
          </li>
        ))}
      </ul>
      {figures.length > shownActions && (
        <p class="faint">{countOf(figures.length - shownActions, 'more action')} with fewer failures.</p>
      )}
    </section>
  )
}
