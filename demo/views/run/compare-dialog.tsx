// The dialog that picks the run to compare the open one with.
import { useSignal } from '@preact/signals'
import { Dialog } from '../../parts/dialog.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { TextField } from '../../parts/field/form-field.tsx'
import { useAnswer } from '../../parts/hook.ts'
import { Time } from '../../parts/inline.tsx'
import { readCandidates } from '../../state/run/compare-run.ts'
import type { Run } from '../../state/run/run-list.ts'
import { compareRun, openSession } from '../../state/run/run-place.ts'
import { countOf, countWord } from '../../wording/text-word.ts'
import { RunOutcome } from './run-head.tsx'

export function CompareDialog({ onClose }: { onClose: () => void }) {
  const text = useSignal('')
  const { value, error } = useAnswer(readCandidates, [openSession.value])
  const sought = text.value.trim().toLowerCase()
  const runs = (value?.runs ?? []).filter(({ name, session, agent }) =>
    [name, session, agent].some((one) => one.toLowerCase().includes(sought)),
  )
  const compare = (session: string) => {
    onClose()
    compareRun(session)
  }
  return (
    <Dialog title="Compare with…" onClose={onClose} wide>
      <TextField label="Search runs" of={text} type="search" />
      <ErrorNotice title="The runs could not be read." error={error} />
      {value === undefined && error === undefined && <p aria-busy="true">Reading runs…</p>}
      {value && <p role="status">{statusOf(value.total, value.runs.length, runs.length)}</p>}
      <ul class="queue compare-runs" aria-label="Runs to compare with">
        {runs.map((run) => (
          <Candidate key={run.session} run={run} onCompare={compare} />
        ))}
      </ul>
    </Dialog>
  )
}

function statusOf(total: number, read: number, shown: number): string {
  if (total === 0) return 'There is no other run in this book.'
  if (shown === 0) return 'No run matches.'
  return total > read
    ? `${countOf(shown, 'run')} of the latest ${countWord(read)}; the book has ${countWord(total)} others.`
    : `${countOf(shown, 'run')}, same goal first.`
}

function Candidate({ run, onCompare }: { run: Run; onCompare: (session: string) => void }) {
  const { session, name, steps, failed, endedAt } = run
  return (
    <li>
      <button type="button" class="link" dir="auto" onClick={() => onCompare(session)}>
        {name === '' ? session : name}
      </button>
      <p class="faint">
        <RunOutcome outcome={run.outcome} /> · {countOf(steps, 'step')}
        {failed > 0 && `, ${countWord(failed)} failed`} · <Time at={endedAt} /> · <bdi>{session}</bdi>
      </p>
    </li>
  )
}
