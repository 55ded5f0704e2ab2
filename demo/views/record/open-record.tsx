// The open record, whole: its own parts, its links, its versions, its JSON, and forgetting it. Its code comes with the first one.
import { useLayoutEffect } from 'preact/hooks'
import { Icon } from '../../parts/icon.tsx'
import { Mark } from '../../parts/mark.tsx'
import { MarkSigns } from '../../parts/mark-signs.tsx'
import { ShortId } from '../../parts/short-id.tsx'
import { Time } from '../../parts/time.tsx'
import { editRecord } from '../../state/act/edit.ts'
import { detailHeading, onDetailDrawn } from '../../state/act/focus.ts'
import { forgetQuestion } from '../../state/act/forget.ts'
import { detail, type ShownRecord } from '../../state/record/record-detail.ts'
import { oneLine } from '../../wording/text-word.ts'
import { detailFaceOf } from '../kind/detail-face-table.ts'
import { LinkList } from '../kind/link-list.tsx'
import { RecordRecalls } from '../activity/record-recalls.tsx'
import { RawJson } from './raw-json.tsx'
import { MarkSection } from './mark-section.tsx'
import { MetSection } from './met-section.tsx'
import { PinButton } from './pin-button.tsx'
import { VersionList } from './version-list.tsx'
import { CloseButton } from './close-button.tsx'

export function OpenRecord() {
  const now = detail.value
  return now.state === 'shown' ? <Shown shown={now.shown} /> : null
}

function Shown({ shown }: { shown: ShownRecord }) {
  const { kind, record, links, versions } = shown
  const { Sections, Acts } = detailFaceOf(kind.name)
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
          <div class="detail-acts">
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
        </div>
        <h2 id="record-heading" ref={detailHeading} tabIndex={-1} dir="auto">
          {oneLine(row.title, 160)}
        </h2>
      </header>
      <div class="detail-body" tabIndex={0} role="group" aria-label={`Contents of the ${kind.one}`}>
        <MetSection record={record} />
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
