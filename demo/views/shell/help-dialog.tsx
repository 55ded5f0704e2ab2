// All keys, and the meaning of the marks.
import { Dialog } from '../../parts/dialog.tsx'
import { KeyCap } from '../../parts/inline.tsx'
import { Mark, MarkSigns } from '../../parts/mark.tsx'
import { type MarkName, marks } from '../../kind/mark.ts'
import type { Marks } from '../../kind/record-kind.ts'
import { closeDialog } from '../../state/dialog.ts'

const keys: readonly (readonly [keys: readonly string[], what: string])[] = [
  [['/'], 'Search, or ask in Recall'],
  [['↓', 'j'], 'Next in the list'],
  [['↑', 'k'], 'Previous in the list'],
  [['Home', 'End'], 'First and last'],
  [['Enter'], 'Open it'],
  [['Esc'], 'Close what is open, back to the list'],
  [['p'], 'Pin it, or unpin it'],
  [['e'], 'Edit it'],
  [['Del'], 'Forget it'],
  [['x'], 'Pick it, to forget or save several'],
  [['a', 'r', 'e'], 'In approvals: approve, reject, edit'],
  [['u'], 'In approvals: undo the last decision'],
  [['←', '→', 'PgUp', 'PgDn'], 'In days: another day, another month'],
  [['a', 'r', 'e'], 'In the pool: approve, reject, give a reason'],
  [['e', 'E'], 'In a run: next failed step, the one before'],
  [['←', '→'], 'In a run: fold or unfold a branch'],
  [['n'], 'Show what is new'],
  [['Ctrl K'], 'All commands'],
  [['?'], 'This help'],
]

const examples: readonly Marks[] = [
  { pinned: true },
  { importance: 0.8 },
  { personal: true },
  { keep: true },
  { collection: 'People/Ana' },
]
const markNames = Object.keys(marks) as readonly MarkName[]

export function HelpDialog() {
  return (
    <Dialog title="Keyboard shortcuts" onClose={closeDialog}>
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
      <h3>Search</h3>
      <p>
        The words of a record, in any order; the last may be a beginning. <code>agent:tutor</code>,{' '}
        <code>domain:"home care"</code> and other fields become filters with Enter, and <code>id:…</code>{' '}
        opens the record.
      </p>
      <h3>Marks</h3>
      <ul class="mark-list">
        {markNames.map((mark) => (
          <li key={mark}>
            <Mark mark={mark} word />
          </li>
        ))}
      </ul>
      <h3>Flags of a record</h3>
      <ul class="mark-list">
        {examples.map((marks) => (
          <li key={JSON.stringify(marks)}>
            <MarkSigns marks={marks} word />
          </li>
        ))}
      </ul>
      <p class="faint">
        The URL keeps your view; bookmark or copy it. In the console the open book is <code>book</code>.
      </p>
    </Dialog>
  )
}
