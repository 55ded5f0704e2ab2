// The pane of the open record, and what stands there while there is none.
import { EmptyNote } from '../../parts/empty-note.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { KeyCap } from '../../parts/key-cap.tsx'
import { ShortId } from '../../parts/short-id.tsx'
import { listedKind } from '../../state/address.ts'
import { detail, reloadDetail } from '../../state/record/record-detail.ts'
import { count } from '../../state/list/record-list.ts'
import { countWord, shareWord, capital } from '../../wording/text-word.ts'
import { createLateViews } from '../../parts/late/late-view.tsx'
import { CloseButton, nameOf } from './close-button.tsx'

/** What an open record is shown with, whose code comes with the first one. */
export const openRecord = createLateViews(() => import('./open-record.tsx'))
const OpenRecord = openRecord.view('OpenRecord')

export function RecordDetailView() {
  const now = detail.value
  return (
    <section class="pane detail-pane" aria-label={capital(nameOf())}>
      {now.state === 'none' && <Glance />}
      {now.state === 'loading' && <div class="list-wait" aria-busy="true" />}
      {now.state === 'absent' && <Absent id={now.id} />}
      {now.state === 'failed' && (
        <ErrorNotice title={`The ${nameOf()} could not be read.`} error={now.error} retry={reloadDetail} />
      )}
      {now.state === 'shown' && <OpenRecord key={now.id} />}
    </section>
  )
}

function Absent({ id }: { id: string }) {
  return (
    <div class="detail">
      <header class="detail-head">
        <div class="detail-bar">
          <CloseButton kind="back" />
          <ShortId id={id} />
          <span class="spacer" />
          <CloseButton kind="close" />
        </div>
      </header>
      <EmptyNote title={`This ${nameOf()} is not in this book.`}>
        <p>
          It was forgotten, or it is on another device and has not been synced yet. It appears here once it
          is.
        </p>
      </EmptyNote>
    </div>
  )
}

/** What stands here while nothing is open: the list at a glance, and how to move. */
function Glance() {
  const counted = count.value
  return (
    <div class="glance">
      {counted && counted.total > 0 && listedKind.value && (
        <dl class="figures">
          <div>
            <dt>{capital(listedKind.value.many)}</dt>
            <dd>{countWord(counted.total)}</dd>
          </div>
          {listedKind.value.fails && (
            <div>
              <dt>Failed</dt>
              <dd>
                {countWord(counted.failed)}{' '}
                <span class="faint">{shareWord(counted.failed / counted.total)}</span>
              </dd>
            </div>
          )}
        </dl>
      )}
      <p class="quiet">
        {listedKind.value ? listedKind.value.glance : 'Open a hit to see the whole record.'}
      </p>
      <p class="faint keys-line">
        <KeyCap name="↓" /> <KeyCap name="↑" /> move · <KeyCap name="Enter" /> open · <KeyCap name="?" /> all
        keys
      </p>
    </div>
  )
}
