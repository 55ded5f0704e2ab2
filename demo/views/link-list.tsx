// The traces that the open one links to, and those that link to it; each opens in its place.
import type { Trace } from '../../src/index.ts'
import { Icon, type IconName } from '../parts/icon.tsx'
import { OutcomeMark } from '../parts/outcome-mark.tsx'
import { ShortId } from '../parts/short-id.tsx'
import { Time } from '../parts/time.tsx'
import { go } from '../state/address.ts'
import { focusDetail } from '../state/focus.ts'
import type { ShownTrace } from '../state/trace-detail.ts'
import { outcomeOf } from '../state/trace-row.ts'
import { countWord } from '../wording/size-word.ts'
import { oneLine } from '../wording/text-word.ts'

const listedAtOnce = 20

export function LinkList({ shown: { to, from, missing } }: { shown: ShownTrace }) {
  if (to.length + from.length + missing.length === 0) return null
  return (
    <section class="star" aria-label="Links">
      <h3>Links</h3>
      <div class="star-body">
        <Direction icon="arrowIn" name="Links to" traces={to} />
        {missing.map((id) => (
          <p key={id} class="link-missing">
            <span class="faint">Links to a trace that is not in this book</span> <ShortId id={id} />
          </p>
        ))}
        <Direction icon="arrowOut" name="Linked from" traces={from} />
      </div>
    </section>
  )
}

function Direction({ icon, name, traces }: { icon: IconName; name: string; traces: readonly Trace[] }) {
  if (traces.length === 0) return null
  const more = traces.length - listedAtOnce
  return (
    <div class="links">
      <h4 class="star-name">
        <Icon name={icon} size={12} /> {name} {countWord(traces.length)}
      </h4>
      <ul>
        {traces.slice(0, listedAtOnce).map((trace) => (
          <li key={trace.id}>
            <button
              type="button"
              class="link-row"
              onClick={() => {
                go({ id: trace.id })
                focusDetail()
              }}
            >
              <OutcomeMark outcome={outcomeOf(trace)} />
              <span class="link-goal" dir="auto">
                {oneLine(trace.task.goal, 120)}
              </span>
              <span class="faint">
                <Time at={trace.timestamp} />
              </span>
            </button>
          </li>
        ))}
      </ul>
      {more > 0 && <p class="faint">{countWord(more)} more are named in the raw JSON.</p>}
    </div>
  )
}
