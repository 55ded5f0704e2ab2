// The pane of the open trace: situation, task, action, result, its links, its versions, its JSON, and forgetting it.
import { useLayoutEffect } from 'preact/hooks'
import { EmptyNote } from '../parts/empty-note.tsx'
import { ErrorNotice } from '../parts/error-notice.tsx'
import { Icon } from '../parts/icon.tsx'
import { KeyCap } from '../parts/key-cap.tsx'
import { OutcomeMark } from '../parts/outcome-mark.tsx'
import { ShortId } from '../parts/short-id.tsx'
import { Time } from '../parts/time.tsx'
import { address, go } from '../state/address.ts'
import { detailHeading, onDetailDrawn } from '../state/focus.ts'
import { forgetQuestion } from '../state/forget.ts'
import { detail, reloadDetail, type ShownTrace } from '../state/trace-detail.ts'
import { outcomeOf } from '../state/trace-row.ts'
import { count } from '../state/trace-list.ts'
import { countWord, shareWord } from '../wording/size-word.ts'
import { oneLine } from '../wording/text-word.ts'
import { LinkList } from './link-list.tsx'
import { RawJson } from './raw-json.tsx'
import { StarSections } from './star-sections.tsx'
import { VersionList } from './version-list.tsx'

export function TraceDetailView() {
  const now = detail.value
  return (
    <section class="pane detail-pane" aria-label="Trace">
      {now.state === 'none' && <Glance />}
      {now.state === 'loading' && <div class="list-wait" aria-busy="true" />}
      {now.state === 'absent' && <Absent id={now.id} />}
      {now.state === 'failed' && (
        <ErrorNotice title="The trace could not be read." error={now.error} retry={reloadDetail} />
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
      <span class="hidden">Close this trace</span>
    </button>
  )
}

function Shown({ shown }: { shown: ShownTrace }) {
  const { trace, from } = shown
  const outcome = outcomeOf(trace)
  useLayoutEffect(onDetailDrawn, [])
  return (
    <article class="detail" aria-labelledby="trace-heading">
      <header class="detail-head">
        <div class="detail-bar">
          <CloseButton kind="back" />
          <OutcomeMark outcome={outcome} word />
          <span class="faint">
            <Time at={trace.timestamp} />
          </span>
          <span class="spacer" />
          <ShortId id={trace.id} />
          <button
            type="button"
            class="icon-button"
            title="Forget this trace"
            onClick={() => (forgetQuestion.value = { trace, citedBy: from.length })}
          >
            <Icon name="forget" />
            <span class="hidden">Forget this trace</span>
          </button>
          <CloseButton kind="close" />
        </div>
        <h2 id="trace-heading" ref={detailHeading} tabIndex={-1} dir="auto">
          {oneLine(trace.task.goal, 160) || '(no goal)'}
        </h2>
      </header>
      <div class="detail-body" tabIndex={0} role="group" aria-label="Contents of the trace">
        <StarSections trace={trace} />
        <LinkList shown={shown} />
        <VersionList versions={shown.versions} />
        <RawJson trace={trace} />
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
      <EmptyNote title="This trace is not in this book.">
        <p>
          It was forgotten, or it was stored on another device and has not come with a sync yet. If it comes,
          it appears here.
        </p>
      </EmptyNote>
    </div>
  )
}

/** What stands here while nothing is open: the book at a glance, and how to move. */
function Glance() {
  const counted = count.value
  return (
    <div class="glance">
      {counted && counted.total > 0 && address.value.view === 'traces' && (
        <dl class="figures">
          <div>
            <dt>Traces here</dt>
            <dd>{countWord(counted.total)}</dd>
          </div>
          <div>
            <dt>Failed</dt>
            <dd>
              {countWord(counted.failed)}{' '}
              <span class="faint">{shareWord(counted.failed / counted.total)}</span>
            </dd>
          </div>
        </dl>
      )}
      <p class="quiet">
        {address.value.view === 'recall'
          ? 'Open a hit to see the whole trace.'
          : 'Open a trace to see its situation, task, action and result.'}
      </p>
      <p class="faint keys-line">
        <KeyCap name="↓" /> <KeyCap name="↑" /> move · <KeyCap name="Enter" /> open · <KeyCap name="?" /> all
        keys
      </p>
    </div>
  )
}
