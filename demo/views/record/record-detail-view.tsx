// The pane of the open record: its own parts, its links, its versions, its JSON, and forgetting it.
import { useLayoutEffect } from 'preact/hooks'
import { EmptyNote } from '../../parts/empty-note.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { Icon } from '../../parts/icon.tsx'
import { KeyCap } from '../../parts/key-cap.tsx'
import { Mark } from '../../parts/mark.tsx'
import { MarkSigns } from '../../parts/mark-signs.tsx'
import { ShortId } from '../../parts/short-id.tsx'
import { Time } from '../../parts/time.tsx'
import { go, listedKind } from '../../state/address.ts'
import { editRecord } from '../../state/act/edit.ts'
import { detailHeading, onDetailDrawn } from '../../state/act/focus.ts'
import { forgetQuestion } from '../../state/act/forget.ts'
import { detail, reloadDetail, type ShownRecord } from '../../state/record/record-detail.ts'
import { count } from '../../state/list/record-list.ts'
import { countWord, shareWord } from '../../wording/size-word.ts'
import { capital, oneLine } from '../../wording/text-word.ts'
import { faceOf } from '../kind/face-table.ts'
import { LinkList } from '../kind/link-list.tsx'
import { RecordRecalls } from '../activity/record-recalls.tsx'
import { RawJson } from './raw-json.tsx'
import { MarkSection } from './mark-section.tsx'
import { PinButton } from './pin-button.tsx'
import { VersionList } from './version-list.tsx'

/** What a record is called here: by its kind, and where any may be open, a record. */
function nameOf(): string {
  const now = detail.value
  return (now.state === 'shown' ? now.shown.kind.one : listedKind.value?.one) ?? 'record'
}

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
      {now.state === 'shown' && <Shown key={now.id} shown={now.shown} />}
    </section>
  )
}

/** An arrow back to the list where the pane covers it, a cross where it stands beside it. */
function CloseButton({ kind }: { kind: 'back' | 'close' }) {
  return (
    <button
      type="button"
      class={`icon-button ${kind}-button`}
      onClick={() => go({ id: undefined })}
      title="Close (Esc)"
    >
      <Icon name={kind} />
      <span class="hidden">Close this {nameOf()}</span>
    </button>
  )
}

function Shown({ shown }: { shown: ShownRecord }) {
  const { kind, record, links, versions } = shown
  const { Sections, Acts } = faceOf(kind.name)
  const row = kind.row(record)
  useLayoutEffect(onDetailDrawn, [])
  return (
    <article class="detail" aria-labelledby="record-heading">
      <header class="detail-head">
        <div class="detail-bar">
          <CloseButton kind="back" />
          <Mark mark={row.mark} word />
          <MarkSigns marks={{}} sensitivity={row.sensitivity} word />
          <span class="faint">
            <Time at={row.at} exact />
          </span>
          <span class="spacer" />
          <ShortId id={record.id} />
          {Acts && <Acts record={record} />}
          {kind.replace && (
            <button
              type="button"
              class="icon-button"
              title={`Edit this ${kind.one} (e)`}
              onClick={() => editRecord(shown)}
            >
              <Icon name="edit" />
              <span class="hidden">Edit this {kind.one}</span>
            </button>
          )}
          <PinButton record={record} one={kind.one} />
          <button
            type="button"
            class="icon-button"
            title={`Forget this ${kind.one} (Del)`}
            onClick={() => (forgetQuestion.value = shown)}
          >
            <Icon name="forget" />
            <span class="hidden">Forget this {kind.one}</span>
          </button>
          <CloseButton kind="close" />
        </div>
        <h2 id="record-heading" ref={detailHeading} tabIndex={-1} dir="auto">
          {oneLine(row.title, 160)}
        </h2>
      </header>
      <div class="detail-body" tabIndex={0} role="group" aria-label={`Contents of the ${kind.one}`}>
        <Sections record={record} />
        <MarkSection key={record.id} record={record} kind={kind} />
        <RecordRecalls id={record.id} />
        <LinkList groups={links} />
        <VersionList id={record.id} versions={versions} />
        <RawJson record={record} />
      </div>
    </article>
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
          It was forgotten, or it was stored on another device and has not come with a sync yet. If it comes,
          it appears here.
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
            <dt>{capital(listedKind.value.many)} here</dt>
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
