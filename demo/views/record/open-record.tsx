// The whole open record: its own parts, marks, recalls, links, versions, JSON, and its acts. Loaded with the first record.
import { useLayoutEffect } from 'preact/hooks'
import { Icon, Time } from '../../parts/inline.tsx'
import { Mark, MarkSigns } from '../../parts/mark.tsx'
import { CopyButton, ShortId } from '../../parts/copy-button.tsx'
import { editRecord } from '../../state/act/edit.ts'
import { detailHeading, onDetailDrawn } from '../../state/act/focus.ts'
import { forgetQuestion } from '../../state/act/forget.ts'
import { revealed } from '../../state/record/secret.ts'
import { detail, type ShownRecord } from '../../state/record/record-detail.ts'
import { countOf, kindWord, oneLine } from '../../wording/text-word.ts'
import { detailFaceOf } from '../kind/detail-face-table.ts'
import { LinkList } from '../kind/link-list.tsx'
import { MarkSection } from './mark-section.tsx'
import { SecretNote } from './secret-note.tsx'
import { VersionList } from './version-list.tsx'
import { FoundBy } from './found-by.tsx'
import { CloseButton } from './close-button.tsx'
import type { BookRecord } from '../../kind/record-kind.ts'
import { togglePin } from '../../state/act/mark.ts'
import { address } from '../../state/address.ts'
import { matchedPieces } from '../../wording/passage-word.ts'
import { Row, Section } from '../kind/section.tsx'
import { useSignal } from '@preact/signals'
import { ClampedText } from '../../parts/clamped-text.tsx'
import { useAnswer } from '../../parts/hook.ts'
import { activityTurn, listRecallsOf } from '../../state/activity.ts'
import { openedBook } from '../../state/book.ts'

export function OpenRecord() {
  const now = detail.value
  return now.state === 'shown' ? <Shown shown={now.shown} /> : null
}

function Shown({ shown }: { shown: ShownRecord }) {
  const { kind, record, links, versions, secrets } = shown
  const { Sections, Acts } = detailFaceOf(kind.name)
  // For the eye alone: acts take the record as it is.
  const seen = secrets && revealed.value !== record.id ? secrets : { record, versions }
  const row = kind.row(seen.record)
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
        {secrets && (
          <SecretNote id={record.id}>
            Encrypted: contains {secrets.rules.map(kindWord).join(', ').replaceAll('-', ' ')}.
          </SecretNote>
        )}
        <MetSection record={seen.record} />
        <Sections record={seen.record} />
        <MarkSection key={record.id} record={record} kind={kind} />
        <RecordRecalls id={record.id} />
        <FoundBy key={record.id} id={record.id} />
        <LinkList groups={links} />
        <VersionList id={record.id} versions={seen.versions} />
        <RawJson record={seen.record} />
      </div>
    </article>
  )
}

function PinButton({ record, one }: { record: BookRecord; one: string }) {
  const isPinned = record.marks?.pinned === true
  return (
    <button
      type="button"
      class="icon-button"
      aria-pressed={isPinned}
      title={`${isPinned ? 'Unpin' : 'Pin'} this ${one} (p)`}
      onClick={() => void togglePin(record)}
    >
      <Icon name="pin" />
      <span class="hidden">Pin this {one}</span>
    </button>
  )
}

/** There is more space than in a row. */
const lead = 100

function MetSection({ record }: { record: BookRecord }) {
  const { search } = address.value
  const pieces = search.trim() === '' ? [] : matchedPieces(record, search, lead)
  if (pieces.length === 0) return null
  return (
    <Section name="Search match">
      <blockquote class="quoted" dir="auto">
        {pieces.map(({ text, isMatch }, i) => (isMatch ? <mark key={i}>{text}</mark> : text))}
      </blockquote>
    </Section>
  )
}

function RawJson({ record }: { record: object }) {
  const isOpen = useSignal(false)
  const text = () => JSON.stringify(record, null, 2)
  return (
    <section class="star raw" aria-label="Raw JSON">
      <h3>JSON</h3>
      <div class="star-body">
        <div class="raw-actions">
          <button
            type="button"
            class="button small"
            aria-expanded={isOpen.value}
            onClick={() => (isOpen.value = !isOpen.value)}
          >
            {isOpen.value ? 'Hide' : 'Show'} raw JSON
          </button>
          <CopyButton text={text} of="JSON" word />
        </div>
        {isOpen.value && <ClampedText text={text()} mono />}
      </div>
    </section>
  )
}

const shownCallers = 5

function RecordRecalls({ id }: { id: string }) {
  const { value } = useAnswer(
    async () => (await openedBook()).activity.ofRecord({ id }),
    [id, activityTurn.value],
  )
  if (!value) return null
  const { recalls, contexts, lastAt, callers } = value
  const total = recalls + contexts
  return (
    <Section name="Recalled">
      <Row name="last 7 days">
        {total === 0 ? (
          <span class="faint">not recalled on this device</span>
        ) : (
          <button type="button" class="link" onClick={() => listRecallsOf(id)}>
            {countOf(recalls, 'recall')}, {countOf(contexts, 'context')}
          </button>
        )}
        {lastAt !== undefined && (
          <span class="faint">
            {' '}
            · last <Time at={lastAt} />
          </span>
        )}
      </Row>
      {callers.length > 0 && (
        <Row name="by">
          {callers
            .slice(0, shownCallers)
            .map(({ caller, count }) => `${caller} (${count})`)
            .join(', ')}
          {callers.length > shownCallers && ` and ${callers.length - shownCallers} more`}
        </Row>
      )}
    </Section>
  )
}
