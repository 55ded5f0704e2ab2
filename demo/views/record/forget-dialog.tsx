// Asks before a record is forgotten, and says exactly what that means.
import { type Signal, useSignal } from '@preact/signals'
import { Dialog } from '../../parts/dialog.tsx'
import { kindNamed } from '../../kind/kind-table.ts'
import type { BookRecord } from '../../kind/record-kind.ts'
import { type Citing, citingOf, forgetAsked, forgetQuestion } from '../../state/act/forget.ts'
import type { ShownRecord } from '../../state/record/record-detail.ts'
import { status } from '../../state/status.ts'
import { countOf, oneLine } from '../../wording/text-word.ts'

export function ForgetDialog() {
  const question = forgetQuestion.value
  return question ? <Question key={question.record.id} question={question} /> : null
}

function Question({ question }: { question: ShownRecord }) {
  const { kind, record } = question
  const citing = citingOf(question)
  const isCited = citing.pointing.length + citing.resting.length > 0
  const isCascade = useSignal(false)
  const isPurge = useSignal(false)
  const close = () => (forgetQuestion.value = undefined)
  return (
    <Dialog title={`Forget this ${kind.one}?`} onClose={close}>
      <blockquote class="quoted" dir="auto">
        {oneLine(kind.row(record).title, 200)}
      </blockquote>
      <ul class="plain-list">
        <li>
          Its content, earlier versions and index entries are deleted from this book at once. This cannot be
          undone.
        </li>
        <li>An empty tombstone remains, so that the record does not return from another device.</li>
        {status.value?.sync.configured && (
          <li>It is deleted from the edge and your other devices at the next sync.</li>
        )}
      </ul>
      {isCited && !isPurge.value && <CitingChoice citing={citing} isCascade={isCascade} />}
      <label class="check">
        <input
          type="checkbox"
          checked={isPurge.value}
          onChange={(event) => (isPurge.value = event.currentTarget.checked)}
        />
        Purge: also erase it from the file, from conflicts and from stored answers
      </label>
      <div class="dialog-actions">
        <button type="button" class="button" onClick={close}>
          Cancel
        </button>
        <button
          type="button"
          class="button danger"
          onClick={() => forgetAsked(isPurge.value ? 'purge' : isCascade.value ? 'cascade' : 'forget')}
        >
          {isPurge.value ? 'Purge' : 'Forget'} {kind.one}
          {isCascade.value &&
            !isPurge.value &&
            citing.resting.length > 0 &&
            ` and ${citing.resting.length} more`}
        </button>
      </div>
    </Dialog>
  )
}

const listed = 5

/** What cites it, and what shall become of that. */
function CitingChoice({ citing, isCascade }: { citing: Citing; isCascade: Signal<boolean> }) {
  const { pointing, resting } = citing
  const all = [...resting, ...pointing]
  return (
    <fieldset class="fields-form">
      <legend>
        {countOf(all.length, 'record')} {all.length === 1 ? 'cites' : 'cite'} it
      </legend>
      <ul class="cite-list">
        {all.slice(0, listed).map((one) => (
          <CitingLine key={one.id} record={one} isResting={resting.includes(one)} />
        ))}
        {all.length > listed && <li class="faint">and {all.length - listed} more</li>}
      </ul>
      <label class="check">
        <input
          type="radio"
          name="citing"
          checked={!isCascade.value}
          onChange={() => (isCascade.value = false)}
        />
        Keep broken links
      </label>
      <label class="check">
        <input
          type="radio"
          name="citing"
          checked={isCascade.value}
          onChange={() => (isCascade.value = true)}
        />
        {resting.length === 0
          ? 'Remove the links'
          : `Also delete ${countOf(resting.length, 'record')} with no other source${pointing.length > 0 ? ', and remove the other links' : ''}`}
      </label>
    </fieldset>
  )
}

function CitingLine({ record, isResting }: { record: BookRecord; isResting: boolean }) {
  const kind = kindNamed(record.kind)
  return (
    <li>
      <span class="faint">{kind?.one ?? record.kind}</span>{' '}
      {kind ? oneLine(kind.row(record).title, 80) : record.id}
      {isResting && <span class="cite-rests"> no other source</span>}
    </li>
  )
}
