// The marks of the open record: personal, keep, sensitivity, importance, collection.
import { Check, Suggestions } from '../../parts/field/form-field.tsx'
import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import type { BookRecord, RecordKind, Sensitivity } from '../../kind/record-kind.ts'
import { markRecord, setSensitivity } from '../../state/act/mark.ts'
import { seenValues } from '../../state/list/record-source.ts'
import { FilterButton, Row, Section } from '../kind/section.tsx'

interface MarkSectionProps {
  readonly record: BookRecord
  readonly kind: RecordKind
}

export function MarkSection({ record, kind }: MarkSectionProps) {
  const { id, marks = {} } = record
  const { personal, keep, collection } = marks
  return (
    <Section name="Marks">
      <Row name="flags">
        <Check
          value={personal === true}
          onValue={(isOn) =>
            void markRecord(
              { id, personal: isOn || null },
              isOn ? 'Marked as personal.' : 'No longer marked as personal.',
            )
          }
        >
          Personal
        </Check>
        <Check
          value={keep === true}
          onValue={(isOn) =>
            void markRecord(
              { id, keep: isOn || null },
              isOn ? 'Kept: it will not be archived.' : 'It can be archived again.',
            )
          }
        >
          Keep
        </Check>
      </Row>
      <SensitivityChoice record={record} />
      <Importance record={record} />
      <Collection record={record} view={kind.view} />
      {collection !== undefined && (
        <Row name="see also">
          <FilterButton view={kind.view} field="collection" value={collection} />
        </Row>
      )}
    </Section>
  )
}

const sensitivityWords: Readonly<Record<Sensitivity, string>> = {
  public: 'public',
  standard: 'standard',
  sensitive: 'sensitive (encrypted)',
  restricted: 'restricted (encrypted)',
}

function SensitivityChoice({ record }: { record: BookRecord }) {
  const { id, sensitivity = 'standard' } = record
  const field = useId()
  return (
    <div class="star-row">
      <label class="star-name" for={field}>
        sensitivity
      </label>
      <span class="star-value">
        <select
          id={field}
          class="input"
          value={sensitivity}
          onChange={({ currentTarget }) =>
            void setSensitivity(id, currentTarget.value as Sensitivity, sensitivity)
          }
        >
          {Object.entries(sensitivityWords).map(([value, word]) => (
            <option key={value} value={value}>
              {word}
            </option>
          ))}
        </select>
      </span>
    </div>
  )
}

function Importance({ record }: { record: BookRecord }) {
  const { id } = record
  const stored = record.marks?.importance
  // The typed text stays when the record is read again.
  const typed = useSignal<string | undefined>(undefined)
  const field = useId()
  const save = async (input: HTMLInputElement) => {
    if (!input.reportValidity()) return
    const importance = input.value === '' ? null : Number(input.value)
    if (importance !== (stored ?? null)) {
      const done = importance === null ? 'Importance removed.' : `Importance set to ${importance}.`
      await markRecord({ id, importance }, done)
    }
    typed.value = undefined
  }
  return (
    <div class="star-row">
      <label class="star-name" for={field}>
        importance
      </label>
      <span class="star-value">
        <input
          id={field}
          class="input mark-number"
          type="number"
          min={0}
          max={1}
          step="any"
          placeholder="0.5"
          title="From 0 to 1. Recall uses 0.5 if it is empty."
          value={typed.value ?? stored ?? ''}
          onInput={(event) => (typed.value = event.currentTarget.value)}
          onChange={(event) => void save(event.currentTarget)}
        />
        <span class="faint">from 0 to 1</span>
      </span>
    </div>
  )
}

function Collection({ record, view }: { record: BookRecord; view: RecordKind['view'] }) {
  const { id } = record
  const stored = record.marks?.collection
  const typed = useSignal<string | undefined>(undefined)
  const field = useId()
  const save = async (text: string) => {
    const collection = text.trim() === '' ? null : text.trim()
    const done = collection === null ? 'Removed from its collection.' : `Added to “${collection}”.`
    // A refused name stays in the field.
    if (collection === (stored ?? null) || (await markRecord({ id, collection }, done)))
      typed.value = undefined
  }
  return (
    <div class="star-row">
      <label class="star-name" for={field}>
        collection
      </label>
      <span class="star-value">
        <input
          id={field}
          class="input"
          type="text"
          list={`${field}-seen`}
          autocomplete="off"
          spellcheck={false}
          maxLength={200}
          placeholder="none, or such as People/Ana"
          value={typed.value ?? stored ?? ''}
          onInput={(event) => (typed.value = event.currentTarget.value)}
          onChange={(event) => void save(event.currentTarget.value)}
        />
        <Suggestions id={`${field}-seen`} values={seenValues(view, 'collection')} />
      </span>
    </div>
  )
}
