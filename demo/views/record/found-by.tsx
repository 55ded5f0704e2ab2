// On the page of a record: would a question find it? With the options of the recall view.
import { useSignal } from '@preact/signals'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { useSubmit } from '../../parts/hook.ts'
import { address } from '../../state/address.ts'
import { explain, type Explanation } from '../../state/explain.ts'
import { Section } from '../kind/section.tsx'
import { ExplanationView } from '../kind/explanation-view.tsx'

interface Tried {
  readonly text: string
  readonly answer: Explanation
}

export function FoundBy({ id }: { id: string }) {
  const question = useSignal(address.peek().question)
  const shown = useSignal<Tried | undefined>(undefined)
  const { submit, failure, isBusy } = useSubmit(async () => {
    const text = question.peek().trim()
    shown.value = { text, answer: await explain(id, text) }
  })
  return (
    <Section name="Found by">
      <form
        class="why-form"
        onSubmit={(event) => {
          event.preventDefault()
          void submit()
        }}
      >
        <input
          class="input small"
          type="text"
          enterKeyHint="go"
          autocomplete="off"
          maxLength={10_000}
          aria-label="Would a question find this record?"
          placeholder="Would a question find it?"
          value={question.value}
          onInput={(event) => (question.value = event.currentTarget.value)}
        />
        <button type="submit" class="button small" disabled={isBusy || question.value.trim() === ''}>
          Try
        </button>
      </form>
      <ErrorNotice title="This could not be explained." error={failure} retry={submit} />
      {shown.value && <ExplanationView answer={shown.value.answer} text={shown.value.text} />}
    </Section>
  )
}
