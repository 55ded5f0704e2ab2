// The pane of the open record, and its content while no record is open.
import { Fact, FactList } from '../../parts/fact-list.tsx'
import { EmptyNote } from '../../parts/empty-note.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { KeyCap } from '../../parts/inline.tsx'
import { ShortId } from '../../parts/copy-button.tsx'
import { listedKind } from '../../state/address.ts'
import { detail, reloadDetail } from '../../state/record/record-detail.ts'
import { count } from '../../state/list/record-list.ts'
import { capital, countWord, shareWord } from '../../wording/text-word.ts'
import { createLateViews } from '../../parts/late-view.tsx'
import { CloseButton, nameOf } from './close-button.tsx'

/** The open record. Its code loads with the first one. */
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

/** While no record is open: the list in numbers, and the keys. */
function Glance() {
  const counted = count.value
  const kind = listedKind.value
  return (
    <div class="glance">
      {counted && counted.total > 0 && kind && (
        <FactList look="figures">
          <Fact name={capital(kind.many)}>{countWord(counted.total)}</Fact>
          {kind.fails && (
            <Fact name="Failed">
              {countWord(counted.failed)}{' '}
              <span class="faint">{shareWord(counted.failed / counted.total)}</span>
            </Fact>
          )}
        </FactList>
      )}
      <p class="quiet">{kind ? kind.glance : 'Open a hit to see the whole record.'}</p>
      <p class="faint keys-line">
        <KeyCap name="↓" /> <KeyCap name="↑" /> move · <KeyCap name="Enter" /> open · <KeyCap name="?" /> all
        keys
      </p>
    </div>
  )
}
