// Asks before a trace is forgotten, and says exactly what that means.
import { Dialog } from '../parts/dialog.tsx'
import { forgetAsked, forgetQuestion } from '../state/forget.ts'
import { status } from '../state/status.ts'
import { countOf } from '../wording/size-word.ts'
import { oneLine } from '../wording/text-word.ts'

export function ForgetDialog() {
  const question = forgetQuestion.value
  if (!question) return null
  const { trace, citedBy } = question
  const close = () => (forgetQuestion.value = undefined)
  return (
    <Dialog title="Forget this trace?" onClose={close}>
      <blockquote class="quoted" dir="auto">
        {oneLine(trace.task.goal, 200)}
      </blockquote>
      <ul class="plain-list">
        <li>
          Its content, its earlier versions and its index entries are removed from this book. That cannot be
          undone.
        </li>
        <li>A tombstone without content stays, so that it does not come back from another device.</li>
        {status.value?.sync.configured && (
          <li>At the next sync the edge and your other devices forget it too.</li>
        )}
        {citedBy > 0 && (
          <li>
            {countOf(citedBy, 'trace')} {citedBy === 1 ? 'links' : 'link'} to it and will have a link that
            leads nowhere.
          </li>
        )}
      </ul>
      <div class="dialog-actions">
        <button type="button" class="button" onClick={close}>
          Keep it
        </button>
        <button type="button" class="button danger" onClick={() => void forgetAsked()}>
          Forget trace
        </button>
      </div>
    </Dialog>
  )
}
