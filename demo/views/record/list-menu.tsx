// How a list is shown: its order, compact rows, which columns, and filters that were saved under a name.
import { useSignal } from '@preact/signals'
import { useEffect, useId, useRef } from 'preact/hooks'
import { Icon } from '../../parts/icon.tsx'
import type { FilterFields } from '../../kind/filter-field.ts'
import type { View } from '../../kind/view.ts'
import { address, chipOf, narrow } from '../../state/address.ts'
import {
  applyFilter,
  hasColumn,
  listSettings,
  removeFilter,
  savedOf,
  saveFilter,
  setCompact,
  showColumn,
} from '../../state/list/list-setting.ts'
import { announce } from '../../page/announce.ts'

interface ListMenuProps {
  readonly view: View
  readonly fields: FilterFields
  /** Columns that may be left out, by name, in words. */
  readonly columns: Readonly<Record<string, string>>
  /** The order where none is chosen, in words; absent where the columns themselves are pressed. */
  readonly order?: string
}

export function ListMenu(props: ListMenuProps) {
  const isOpen = useSignal(false)
  const opener = useRef<HTMLButtonElement>(null)
  const close = () => {
    isOpen.value = false
    opener.current?.focus()
  }
  return (
    <div class="menu-place">
      <button
        ref={opener}
        type="button"
        class="button small quiet"
        aria-expanded={isOpen.value}
        aria-haspopup="dialog"
        onClick={() => (isOpen.value = !isOpen.value)}
      >
        <Icon name="settings" size={14} />
        View
      </button>
      {isOpen.value && <Menu {...props} onClose={close} />}
    </div>
  )
}

function Menu({ view, fields, columns, order, onClose }: ListMenuProps & { onClose: () => void }) {
  const frame = useRef<HTMLDivElement>(null)
  useEffect(() => {
    frame.current?.querySelector<HTMLElement>('select, input')?.focus()
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
  return (
    <div ref={frame} class="menu" role="dialog" aria-label="View of the list" onKeyDown={closeOnEscape}>
      {order !== undefined && <Order fields={fields} order={order} />}
      <label class="check">
        <input
          type="checkbox"
          checked={listSettings.value.isCompact}
          onChange={({ currentTarget: { checked } }) => setCompact(checked)}
        />
        Compact rows
      </label>
      <fieldset class="menu-set">
        <legend>Columns</legend>
        {Object.entries(columns).map(([column, word]) => (
          <label key={column} class="check">
            <input
              type="checkbox"
              checked={hasColumn(view, column)}
              onChange={({ currentTarget: { checked } }) => showColumn(view, column, checked)}
            />
            {word}
          </label>
        ))}
      </fieldset>
      <Saved view={view} onClose={onClose} />
    </div>
  )
}

function Order({ fields, order }: { fields: FilterFields; order: string }) {
  const field = fields['order']
  if (field?.type !== 'choice') return null
  return (
    <label class="labelled">
      Order
      <select
        class="input"
        value={chipOf('order') ?? ''}
        onChange={({ currentTarget: { value } }) => narrow({ order: value }, 'replace')}
      >
        <option value="">{order}</option>
        {field.choices.map(({ value, word }) => (
          <option key={value} value={value}>
            {word}
          </option>
        ))}
      </select>
    </label>
  )
}

function Saved({ view, onClose }: { view: View; onClose: () => void }) {
  const name = useSignal('')
  const id = useId()
  const saved = savedOf(view)
  const { search, chips } = address.value
  const isNarrowed = search.trim() !== '' || chips.length > 0
  const save = (event: Event) => {
    event.preventDefault()
    saveFilter(name.value.trim())
    announce(`Filters saved as ${name.value.trim()}.`)
    name.value = ''
  }
  return (
    <fieldset class="menu-set">
      <legend>Saved filters</legend>
      {saved.length === 0 && !isNarrowed && (
        <p class="faint">Search or filter the list, then save it here under a name.</p>
      )}
      {saved.map((one) => (
        <p key={one.name} class="menu-saved">
          <button
            type="button"
            class="link"
            onClick={() => {
              applyFilter(one)
              onClose()
            }}
          >
            {one.name}
          </button>
          <button
            type="button"
            class="icon-button"
            title={`Delete ${one.name}`}
            onClick={() => removeFilter(one)}
          >
            <Icon name="close" size={12} />
            <span class="hidden">Delete the saved filters {one.name}</span>
          </button>
        </p>
      ))}
      {isNarrowed && (
        <form class="menu-saved" onSubmit={save}>
          <input
            id={id}
            class="input"
            required
            maxLength={60}
            pattern=".*\S.*"
            aria-label="Name for the filters in use"
            placeholder="Name"
            autocomplete="off"
            value={name.value}
            onInput={({ currentTarget: { value } }) => (name.value = value)}
          />
          <button type="submit" class="button small">
            Save
          </button>
        </form>
      )}
    </fieldset>
  )
}
