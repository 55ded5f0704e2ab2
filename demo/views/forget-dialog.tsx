// Asks before a record is forgotten, and says exactly what that means.
import { Dialog } from '../parts/dialog.tsx'
import { forgetAsked, forgetQuestion } from '../state/forget.ts'
import { status } from '../state/status.ts'
import { countOf } from '../wording/size-word.ts'
import { oneLine } from '../wording/text-word.ts'

export function ForgetDialog() {
  const question = forgetQuestion.value
  if (!question) return null
  const { room, record, links } = question
  const citing = links.flatMap(({ direction, records }) => (direction === 'from' ? records : []))
  const close = () => (forgetQuestion.value = undefined)
  return (
    <Dialog title={`Forget this ${room.one}?`} onClose={close}>
      <blockquote class="quoted" dir="auto">
        {oneLine(room.row(record).title, 200)}
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
        {citing.length > 0 && (
          <li>
            {countOf(citing.length, 'record')} {citing.length === 1 ? 'links' : 'link'} to it and will have a
            link that leads nowhere.
          </li>
        )}
      </ul>
      <div class="dialog-actions">
        <button type="button" class="button" onClick={close}>
          Keep it
        </button>
        <button type="button" class="button danger" onClick={() => void forgetAsked()}>
          Forget {room.one}
        </button>
      </div>
    </Dialog>
  )
}
