// The pane of an open entry of the activity: the question with its options, its hits and packed text, and its answer now.
import type { ComponentChildren } from 'preact'
import { ClampedText } from '../../parts/clamped-text.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { EmptyNote } from '../../parts/empty-note.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { Icon, KeyCap, Time } from '../../parts/inline.tsx'
import { Mark } from '../../parts/mark.tsx'
import { sortWords } from '../../kind/view-field.ts'
import { go, narrow } from '../../state/address.ts'
import {
  type ActivityEntry,
  activityList,
  again,
  askAgain,
  nameOf,
  openEntry,
  openEntryName,
  openRecall,
  readRecall,
  type RecallDetail,
} from '../../state/activity.ts'
import { countOf, countWord, kindWord, oneLine, shortId } from '../../wording/text-word.ts'
import { duration } from '../../wording/time-word.ts'
import { Block, Row, Section } from '../kind/section.tsx'
import { Bar } from '../../parts/bar.tsx'
import { openRecord } from '../../state/act/open-record.ts'
import { type HitChange, isChanged } from '../../wording/hit-change.ts'
import { chooseOptions } from '../../state/recall.ts'
import { revealed } from '../../state/record/secret.ts'
import { SecretNote } from '../record/secret-note.tsx'
import { HitChangeTable } from '../kind/hit-change-table.tsx'

export function EntryView() {
  const name = openEntryName.value
  return (
    <section class="pane detail-pane" aria-label="Activity entry">
      {name === undefined && <Glance />}
      {name?.startsWith('a') && <OpenEntry />}
      {name?.startsWith('c') && <OpenCall name={name} />}
    </section>
  )
}

function Glance() {
  return (
    <div class="glance">
      <p class="quiet">
        Open a recall to see the question, its options, what was found and why it may be different now.
      </p>
      <p class="faint keys-line">
        <KeyCap name="↓" /> <KeyCap name="↑" /> move · <KeyCap name="Enter" /> open · <KeyCap name="Esc" />{' '}
        close
      </p>
    </div>
  )
}

function Frame({
  entry,
  title,
  children,
}: {
  entry: ActivityEntry
  title: string
  children: ComponentChildren
}) {
  const { sort, at, caller, by, id, purpose, capability } = entry
  return (
    <article class="detail" aria-labelledby="entry-heading">
      <header class="detail-head">
        <div class="detail-bar">
          <CloseButton kind="back" />
          <Mark mark={sortWords[sort].mark} />
          <span>{sortWords[sort].one}</span>
          <span class="faint">
            <Time at={at} exact />
          </span>
          <span class="spacer" />
          <CloseButton kind="close" />
        </div>
        <h2 id="entry-heading" dir="auto">
          {title}
        </h2>
      </header>
      <div class="detail-body" tabIndex={0} role="group" aria-label="Contents of the entry">
        <Section name="Call">
          <Row name="caller">
            {caller === '' ? (
              <span class="faint">unknown</span>
            ) : (
              <button type="button" class="link" onClick={() => narrow({ agent: caller, entry: '' })}>
                <bdi>{caller}</bdi>
              </button>
            )}{' '}
            <span class="faint">
              {by}
              {id !== undefined && ` ${id}`}
            </span>
          </Row>
          <Row name="call">
            <code>{capability}</code>
          </Row>
          {purpose !== undefined && <Row name="purpose">{purpose}</Row>}
          <Figures entry={entry} />
        </Section>
        {children}
      </div>
    </article>
  )
}

function Figures({ entry: { durationMs, tokens, outcome, kinds = [], count } }: { entry: ActivityEntry }) {
  return (
    <>
      {durationMs !== undefined && <Row name="time">{duration(durationMs)} in the engine</Row>}
      {tokens !== undefined && <Row name="packed">{countOf(tokens, 'token')}</Row>}
      {outcome !== undefined && (
        <Row name="outcome">
          <code>{outcome}</code>
        </Row>
      )}
      {outcome === 'ok' && (
        <Row name="changed">
          {countWord(count ?? 0)} · {kinds.map((kind) => kindWord(kind)).join(', ')}
        </Row>
      )}
    </>
  )
}

function CloseButton({ kind }: { kind: 'back' | 'close' }) {
  return (
    <button
      type="button"
      class={`icon-button ${kind}-button`}
      title="Close (Esc)"
      onClick={() => openEntry(undefined)}
    >
      <Icon name={kind} />
      <span class="hidden">Close this entry</span>
    </button>
  )
}

function OpenCall({ name }: { name: string }) {
  const entry = activityList.value?.entries.find((one) => nameOf(one) === name)
  if (!entry)
    return <EmptyNote title="This entry is not in the list. Show older activity, or clear the filters." />
  return (
    <Frame entry={entry} title={entry.capability === '' ? 'Unknown call' : entry.capability}>
      <p class="quiet activity-note">
        Writes and refused calls are logged without their content.{' '}
        <button
          type="button"
          class="link"
          onClick={() => go({ view: 'accessLog', chips: [{ field: 'agent', value: entry.caller }] })}
        >
          Show in the access log
        </button>
      </p>
    </Frame>
  )
}

function OpenEntry() {
  const now = openRecall.value
  if (now.state === 'loading') return <div class="list-wait" aria-busy="true" />
  if (now.state === 'absent')
    return (
      <EmptyNote title="This entry is gone.">
        <p>Recalls and contexts are kept for 7 days, 10,000 at most.</p>
      </EmptyNote>
    )
  if (now.state === 'failed')
    return <ErrorNotice title="The entry could not be read." error={now.error} retry={readRecall} />
  return <Shown detail={now.detail} seen={now.seen} />
}

/** `seen` is for the eye; asking again takes `detail`. */
function Shown({ detail, seen }: { detail: RecallDetail; seen: RecallDetail }) {
  const name = nameOf(detail)
  const shown = revealed.value === name ? detail : seen
  const { question, missing, hits, context } = shown
  const { text = '', ...options } = question ?? {}
  return (
    <Frame
      entry={shown}
      title={question ? oneLine(text, 160) || '(empty question)' : lostWords[missing ?? 'locked']}
    >
      {seen !== detail && <SecretNote id={name} subject="This entry" />}
      {question && (
        <Section name="Question">
          <div class="star-block">
            <ClampedText text={text} />
          </div>
          <details class="activity-options">
            <summary>Options</summary>
            <Block name="" value={options} />
          </details>
        </Section>
      )}
      <FoundList hits={hits} />
      {context !== undefined && (
        <Section name="Packed text">
          <div class="star-block">
            {context === '' ? <p class="faint">Nothing was packed.</p> : <ClampedText text={context} mono />}
          </div>
          {context !== '' && (
            <p>
              <CopyButton text={context} of="packed text" word />
            </p>
          )}
        </Section>
      )}
      {question && <AgainView detail={detail} />}
    </Frame>
  )
}

type Hit = RecallDetail['hits'][number]

const nowWords: Readonly<Record<Hit['now'], string>> = {
  same: 'unchanged since',
  changed: 'changed since',
  superseded: 'superseded since',
  expired: 'expired since',
  unrecalled: 'no longer recalled, such as an archived memory',
  gone: 'forgotten since',
  locked: 'locked',
}

function FoundList({ hits }: { hits: readonly Hit[] }) {
  return (
    <Section name={`Found: ${countOf(hits.length, 'record')}`}>
      {hits.length === 0 && <p class="faint">Nothing was found.</p>}
      <ol class="found-list">
        {hits.map((hit, i) => (
          <li key={hit.id}>
            <p class="found-head">
              <span class="hit-rank">{i + 1}</span>
              {hit.now === 'gone' ? (
                <span class="faint" title={hit.id}>
                  {shortId(hit.id)}
                </span>
              ) : (
                <RecordLink id={hit.id} kind={hit.kind} />
              )}
              <span class="faint">{kindWord(hit.kind)}</span>
              <span class={hit.now === 'same' ? 'faint' : 'found-now'}>{nowWords[hit.now]}</span>
            </p>
            <Bar label="score" share={hit.score} title="Hits are ordered by this score, from 0 to 1." />
            {hit.text !== undefined && <ClampedText text={hit.text} />}
            {hit.successor && (
              <div class="found-successor">
                <p>
                  Now: <RecordLink id={hit.successor.id} kind={hit.kind} />
                </p>
                <ClampedText text={hit.successor.text} />
              </div>
            )}
          </li>
        ))}
      </ol>
    </Section>
  )
}

function RecordLink(record: { id: string; kind: string }) {
  return (
    <button type="button" class="link" title={record.id} onClick={() => openRecord(record)}>
      {shortId(record.id)}
    </button>
  )
}

function AgainView({ detail }: { detail: RecallDetail }) {
  const now = again.value
  const isMine = now.state !== 'idle' && now.n === detail.n
  return (
    <Section name="Now">
      <p class="card-row">
        <button
          type="button"
          class="button"
          disabled={isMine && now.state === 'asking'}
          onClick={() => void askAgain(detail)}
        >
          Ask again now
        </button>
        <button type="button" class="button" onClick={() => openInRecall(detail)}>
          Open in Recall
        </button>
      </p>
      <div role="status">
        {isMine && now.state === 'failed' && (
          <ErrorNotice
            title="The question could not be asked."
            error={now.error}
            retry={() => void askAgain(detail)}
          />
        )}
        {isMine && now.state === 'answered' && <Changes changes={now.changes} isSameText={now.isSameText} />}
      </div>
    </Section>
  )
}

function openInRecall({ sort, question }: RecallDetail): void {
  if (question) chooseOptions(question)
  go({ view: sort === 'context' ? 'context' : 'recall', question: question?.text ?? '', id: undefined })
}

function Changes({
  changes,
  isSameText,
}: {
  changes: readonly HitChange[]
  isSameText: boolean | undefined
}) {
  if (!changes.some(isChanged) && isSameText !== false)
    return <p>Same answer as then: {changes.length === 0 ? 'nothing found' : 'same records, same order'}.</p>
  return (
    <>
      {isSameText === false && <p>The packed text is different now.</p>}
      <HitChangeTable label="Then and now" then="Then" changes={changes} />
    </>
  )
}

export const lostWords: Readonly<Record<NonNullable<ActivityEntry['missing']>, string>> = {
  forgotten: 'Text removed: a record it recalled was forgotten or made sensitive',
  locked: 'Text not available: the book is or was locked',
  size: 'Text not kept: too long',
}
