// Makes one filter: the field, then what it should be, with the controls that the field asks for.
import { useSignal } from '@preact/signals'
import { useEffect, useId, useRef } from 'preact/hooks'
import type { TextField } from '../../kind/filter-field.ts'
import type { RecordKind } from '../../kind/record-kind.ts'
import type { FilterChip } from '../../state/filter-chip.ts'
import { seenValues } from '../../state/list/seen-value.ts'
import { TimeFields } from './time-fields.tsx'

interface FilterMenuProps {
  readonly kind: RecordKind
  readonly onAdd: (chip: FilterChip) => void
  readonly onClose: () => void
}

export function FilterMenu({ kind, onAdd, onClose }: FilterMenuProps) {
  const frame = useRef<HTMLDivElement>(null)
  const names = Object.keys(kind.fields)
  const chosen = useSignal(names[0] ?? '')
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
  const name = chosen.value
  const field = kind.fields[name]
  return (
    <div ref={frame} class="menu" role="dialog" aria-label="Add a filter" onKeyDown={closeOnEscape}>
      <label class="labelled" for={`${id}-field`}>
        Field
        <select
          id={`${id}-field`}
          class="input"
          value={name}
          onChange={(event) => (chosen.value = event.currentTarget.value)}
        >
          {names.map((one) => (
            <option key={one} value={one}>
              {kind.fields[one]?.name}
            </option>
          ))}
        </select>
      </label>
      {field?.type === 'choice' && (
        <div class="choices" role="group" aria-label={field.name}>
          {field.choices.map(({ value, word }) => (
            <button key={value} type="button" class="button" onClick={() => onAdd({ field: name, value })}>
              {word}
            </button>
          ))}
        </div>
      )}
      {field?.type === 'time' && <TimeFields onAdd={(value) => onAdd({ field: name, value })} />}
      {field?.type === 'text' && (
        <TextFields
          key={name}
          field={field}
          seen={seenValues(kind.view, name)}
          onAdd={(value) => onAdd({ field: name, value })}
        />
      )}
    </div>
  )
}

interface TextFieldsProps {
  readonly field: TextField
  readonly seen: readonly string[]
  readonly onAdd: (value: string) => void
}

function TextFields({ field, seen, onAdd }: TextFieldsProps) {
  const isContaining = useSignal(false)
  const text = useSignal('')
  const id = useId()
  const canContain = !field.isList && !field.ask
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
        {field.ask ? field.ask.hint : 'Value'}
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
