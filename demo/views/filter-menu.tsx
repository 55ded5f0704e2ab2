// Makes one filter: the field, then what it should be, with the controls that the field asks for.
import { useSignal } from '@preact/signals'
import { useEffect, useId, useRef } from 'preact/hooks'
import {
  fieldNames,
  type FilterChip,
  type FilterField,
  filterFields,
  modes,
  outcomes,
} from '../state/filter-chip.ts'
import { seenValues } from '../state/seen-value.ts'
import { TimeFields } from './time-fields.tsx'

interface FilterMenuProps {
  readonly onAdd: (chip: FilterChip) => void
  readonly onClose: () => void
}

const choices: Partial<Record<FilterField, readonly string[]>> = { outcome: outcomes, mode: modes }

export function FilterMenu({ onAdd, onClose }: FilterMenuProps) {
  const frame = useRef<HTMLDivElement>(null)
  const field = useSignal<FilterField>('domain')
  const id = useId()
  useEffect(() => {
    frame.current?.querySelector('select')?.focus()
    const closeOutside = (event: PointerEvent) => {
      const isInside = event.target instanceof Node && frame.current?.parentElement?.contains(event.target)
      if (!isInside) onClose()
    }
    document.addEventListener('pointerdown', closeOutside)
    return () => document.removeEventListener('pointerdown', closeOutside)
  }, [])
  const closeOnEscape = (event: KeyboardEvent) => {
    if (event.key !== 'Escape') return
    event.stopPropagation()
    onClose()
  }
  const options = choices[field.value]
  return (
    <div ref={frame} class="menu" role="dialog" aria-label="Add a filter" onKeyDown={closeOnEscape}>
      <label class="labelled" for={`${id}-field`}>
        Field
        <select
          id={`${id}-field`}
          class="input"
          value={field.value}
          onChange={(event) => (field.value = event.currentTarget.value as FilterField)}
        >
          {filterFields.map((one) => (
            <option key={one} value={one}>
              {fieldNames[one]}
            </option>
          ))}
        </select>
      </label>
      {options && (
        <div class="choices" role="group" aria-label={fieldNames[field.value]}>
          {options.map((value) => (
            <button
              key={value}
              type="button"
              class="button"
              onClick={() => onAdd({ field: field.value, value })}
            >
              {value === 'open' ? 'no result yet' : value}
            </button>
          ))}
        </div>
      )}
      {field.value === 'time' && <TimeFields onAdd={(value) => onAdd({ field: 'time', value })} />}
      {!options && field.value !== 'time' && (
        <TextFields
          key={field.value}
          field={field.value}
          onAdd={(value) => onAdd({ field: field.value, value })}
        />
      )}
    </div>
  )
}

function TextFields({ field, onAdd }: { field: FilterField; onAdd: (value: string) => void }) {
  const isContaining = useSignal(false)
  const text = useSignal('')
  const id = useId()
  const canContain = field !== 'tag'
  const seen = seenValues(field)
  const add = (event: Event) => {
    event.preventDefault()
    const value = text.value.trim()
    if (value !== '') onAdd(isContaining.value && canContain ? `~${value}` : value)
  }
  return (
    <form class="fields-form" onSubmit={add}>
      {canContain && (
        <label class="labelled" for={`${id}-how`}>
          Matches when it
          <select
            id={`${id}-how`}
            class="input"
            value={isContaining.value ? 'contains' : 'is'}
            onChange={(event) => (isContaining.value = event.currentTarget.value === 'contains')}
          >
            <option value="is">is exactly</option>
            <option value="contains">contains</option>
          </select>
        </label>
      )}
      <label class="labelled" for={`${id}-value`}>
        Value
        <input
          id={`${id}-value`}
          class="input"
          type="text"
          list={`${id}-seen`}
          autocomplete="off"
          spellcheck={false}
          maxLength={900}
          value={text.value}
          onInput={(event) => (text.value = event.currentTarget.value)}
        />
      </label>
      <datalist id={`${id}-seen`}>
        {seen.map((value) => (
          <option key={value} value={value} />
        ))}
      </datalist>
      <button type="submit" class="button primary" disabled={text.value.trim() === ''}>
        Add filter
      </button>
    </form>
  )
}
