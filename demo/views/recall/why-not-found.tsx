// "Why not found?" under a question: a person picks or pastes a record, and reads why it is a hit or not.
import { useSignal } from '@preact/signals'
import { useEffect, useId } from 'preact/hooks'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { useAnswer, useSubmit } from '../../parts/hook.ts'
import { moveFocus } from '../../parts/list-part.tsx'
import { kindNamed } from '../../kind/kind-table.ts'
import type { BookRecord } from '../../kind/record-kind.ts'
import { address, go } from '../../state/address.ts'
import { explain, findExplained } from '../../state/explain.ts'
import { recallInput } from '../../state/recall.ts'
import { oneLine } from '../../wording/text-word.ts'
import { ExplanationView } from '../kind/explanation-view.tsx'

export function WhyNotFound() {
  const { why } = address.value
  const id = useId()
  const typed = useSignal('')
  const choices = useSignal<readonly BookRecord[] | undefined>(undefined)
  // Another question begins anew.
  useEffect(() => {
    choices.value = undefined
  }, [JSON.stringify(recallInput.value)])
  const { submit, failure, isBusy } = useSubmit(async () => {
    const found = await findExplained(typed.peek().trim())
    choices.value = typeof found === 'string' ? undefined : found
    if (typeof found === 'string') go({ why: found })
  })
  const choose = (record: BookRecord) => {
    choices.value = undefined
    go({ why: record.id })
  }
  return (
    <details class="why-not-found" open={why !== undefined}>
      <summary>Why not found?</summary>
      <form
        class="why-form"
        onSubmit={(event) => {
          event.preventDefault()
          void submit()
        }}
      >
        <label class="hidden" for={id}>
          The record that you expected
        </label>
        <input
          id={id}
          class="input"
          type="text"
          enterKeyHint="search"
          autocomplete="off"
          maxLength={1000}
          placeholder="Id of the record, or words in it"
          value={typed.value}
          onInput={(event) => (typed.value = event.currentTarget.value)}
        />
        <button type="submit" class="button" disabled={isBusy || typed.value.trim() === ''}>
          Explain
        </button>
      </form>
      <ErrorNotice title="The records could not be searched." error={failure} retry={submit} />
      {choices.value && <Choices records={choices.value} onChoose={choose} />}
      {why === undefined && !choices.value && (
        <p class="quiet">Name the record that you expected, and read what kept it from the hits.</p>
      )}
      {why !== undefined && !choices.value && <Explained id={why} />}
    </details>
  )
}

interface ChoicesProps {
  readonly records: readonly BookRecord[]
  readonly onChoose: (record: BookRecord) => void
}

function Choices({ records, onChoose }: ChoicesProps) {
  if (records.length === 0)
    return (
      <p class="quiet" role="status">
        No record has this id or these words. Copy the id from the page of a record, or type other words of
        it.
      </p>
    )
  return (
    <ul
      class="plain-list why-choices"
      aria-label="Records with these words"
      onKeyDown={(event) => void moveFocus(event, 'button')}
    >
      {records.map((record) => {
        const kind = kindNamed(record.kind)
        return (
          <li key={record.id}>
            <button type="button" class="link" title={record.id} onClick={() => onChoose(record)}>
              <span class="faint">{kind?.one ?? record.kind}</span>{' '}
              {oneLine(kind?.row(record).title ?? record.id, 120)}
            </button>
          </li>
        )
      })}
    </ul>
  )
}

function Explained({ id }: { id: string }) {
  const input = recallInput.value
  const { value, error } = useAnswer(() => explain(id, input.text), [id, JSON.stringify(input)])
  if (error !== undefined) return <ErrorNotice title="This could not be explained." error={error} />
  if (!value) return <div class="list-wait" aria-busy="true" />
  return (
    <>
      <p class="why-record">
        <code title={id}>{id}</code>{' '}
        <button type="button" class="link" onClick={() => go({ id })}>
          Open
        </button>{' '}
        <button type="button" class="link" onClick={() => go({ why: undefined })}>
          Another record
        </button>
      </p>
      <ExplanationView answer={value} text={input.text} />
    </>
  )
}
