// What the holder of a token would see: the book is really asked with it, and answers as it would answer the holder.
import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import type { Daybook } from '../../../../src/index.ts'
import { ErrorNotice } from '../../../parts/error-notice.tsx'
import { useGone } from '../../../parts/use-gone.ts'
import type { BookRecord } from '../../../kind/record-kind.ts'
import type { Token } from '../../../kind/token-kind.ts'
import { openedBook } from '../../../state/book.ts'
import { countOf } from '../../../wording/text-word.ts'
import { RecordLink } from '../link-list.tsx'
import { Section } from '../section.tsx'

const listed = 10

interface Seen {
  readonly records: readonly BookRecord[]
  readonly hasMore: boolean
}

async function see(from: Daybook, { token_id: as }: Token, question: string): Promise<Seen> {
  if (question.trim() !== '') {
    const { hits } = await from.recall({ text: question, limit: listed }, { as })
    return { records: hits.map(({ record }) => record), hasMore: false }
  }
  const { records, cursor } = await from.records.query({ limit: listed }, { as })
  return { records, hasMore: cursor !== undefined }
}

export function TokenTrial({ token }: { token: Token }) {
  const question = useSignal('')
  const seen = useSignal<Seen | undefined>(undefined)
  const error = useSignal<unknown>(undefined)
  const id = useId()
  const gone = useGone()
  const ask = async (event: Event) => {
    event.preventDefault()
    seen.value = undefined
    error.value = undefined
    try {
      seen.value = await see(await openedBook(gone), token, question.value)
    } catch (failure) {
      error.value = failure
    }
  }
  return (
    <Section name="Try it">
      <form class="trial-form" onSubmit={(event) => void ask(event)}>
        <label class="labelled" for={id}>
          Query as this token (leave empty to list everything)
          <input
            id={id}
            class="input"
            type="text"
            autocomplete="off"
            value={question.value}
            onInput={(event) => (question.value = event.currentTarget.value)}
          />
        </label>
        <button type="submit" class="button">
          Preview access
        </button>
      </form>
      {error.value !== undefined && <ErrorNotice title="Access denied" error={error.value} />}
      {seen.value && (
        <div role="status">
          <p class="quiet">
            {seen.value.records.length === 0
              ? 'The holder sees nothing here.'
              : `The holder sees ${countOf(seen.value.records.length, 'record')}${seen.value.hasMore ? ' and more' : ''}:`}
          </p>
          <ul class="links">
            {seen.value.records.map((record) => (
              <li key={record.id}>
                <RecordLink record={record} />
              </li>
            ))}
          </ul>
        </div>
      )}
    </Section>
  )
}
