// Asks before a record is forgotten, and says exactly what that means.
import { Check } from '../../parts/field/form-field.tsx'
import { type Signal, useSignal } from '@preact/signals'
import { Question } from '../../parts/dialog.tsx'
import { kindNamed } from '../../kind/kind-table.ts'
import type { BookRecord } from '../../kind/record-kind.ts'
import { answerForget, type Citing, citingOf, forgetQuestion } from '../../state/act/forget.ts'
import type { ShownRecord } from '../../state/record/record-detail.ts'
import { status } from '../../state/status.ts'
import { countOf, oneLine } from '../../wording/text-word.ts'

export function ForgetDialog() {
  const question = forgetQuestion.value
  return question && <ForgetQuestion key={question.record.id} question={question} />
}

function ForgetQuestion({ question }: { question: ShownRecord }) {
  const { kind, record, secrets } = question
  const citing = citingOf(question)
  const isCited = citing.pointing.length + citing.resting.length > 0
  const isCascade = useSignal(false)
  const isPurge = useSignal(false)
  const more = isCascade.value && !isPurge.value ? citing.resting.length : 0
  return (
    <Question
      title={`Forget this ${kind.one}?`}
      onClose={() => (forgetQuestion.value = undefined)}
      act={`${isPurge.value ? 'Purge' : 'Forget'} ${kind.one}${more > 0 ? ` and ${more} more` : ''}`}
      onAct={() => answerForget(isPurge.value ? 'purge' : isCascade.value ? 'cascade' : 'forget')}
      isDanger
    >
      <blockquote class="quoted" dir="auto">
        {oneLine(kind.row(secrets?.record ?? record).title, 200)}
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
      <Check of={isPurge}>Purge: also erase it from the file, from conflicts and from stored answers</Check>
    </Question>
  )
}

const listed = 5

/** Records that cite it, and the choice of what happens to them. */
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
      <Check type="radio" name="citing" value={!isCascade.value} onValue={() => (isCascade.value = false)}>
        Keep broken links
      </Check>
      <Check type="radio" name="citing" value={isCascade.value} onValue={() => (isCascade.value = true)}>
        {resting.length === 0
          ? 'Remove the links'
          : `Also delete ${countOf(resting.length, 'record')} with no other source${pointing.length > 0 ? ', and remove the other links' : ''}`}
      </Check>
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
