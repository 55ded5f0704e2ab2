// All keys, and what the marks mean.
import { Dialog } from '../parts/dialog.tsx'
import { KeyCap } from '../parts/key-cap.tsx'
import { OutcomeMark } from '../parts/outcome-mark.tsx'
import { closeDialog } from '../state/dialog.ts'

const keys: readonly (readonly [keys: readonly string[], what: string])[] = [
  [['/'], 'Search, or ask in Recall'],
  [['↓', 'j'], 'Next trace'],
  [['↑', 'k'], 'Previous trace'],
  [['Home', 'End'], 'First and last trace'],
  [['Enter'], 'Open the trace'],
  [['Esc'], 'Close what is open, back to the list'],
  [['n'], 'Show the new traces'],
  [['Ctrl K'], 'All commands'],
  [['?'], 'This help'],
]

export function HelpDialog() {
  return (
    <Dialog title="Keys and marks" onClose={closeDialog}>
      <dl class="key-list">
        {keys.map(([caps, what]) => (
          <div key={what}>
            <dt>
              {caps.map((cap) => (
                <KeyCap key={cap} name={cap} />
              ))}
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <h3>Marks</h3>
      <ul class="mark-list">
        <li>
          <OutcomeMark outcome="succeeded" word />
        </li>
        <li>
          <OutcomeMark outcome="failed" word />
        </li>
        <li>
          <OutcomeMark outcome="open" word />
        </li>
      </ul>
      <p class="faint">
        The address of this page holds the room, the search, the filters and the open trace: copy it to come
        back to exactly this. In the console the open book is <code>book</code>.
      </p>
    </Dialog>
  )
}
