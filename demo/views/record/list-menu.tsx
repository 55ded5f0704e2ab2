// The menu of a list: its order, compact rows, columns, and filters that were saved under a name.
import { Menu } from '../../parts/menu.tsx'
import { Check, ChoiceField } from '../../parts/field/form-field.tsx'
import { choiceWords, type FilterFields } from '../../kind/filter-field.ts'
import { useSignal } from '@preact/signals'
import { Icon } from '../../parts/inline.tsx'
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
import { announce } from '../../page/toast.ts'

interface ListMenuProps {
  readonly view: View
  readonly fields: FilterFields
  /** Words of the columns that can be hidden, by name. */
  readonly columns: Readonly<Record<string, string>>
  /** The default order, in words. Absent for a table with sortable heads. */
  readonly order?: string
}

export function ListMenu({ view, fields, columns, order }: ListMenuProps) {
  return (
    <Menu icon="settings" word="View" label="View of the list">
      {(close) => (
        <>
          {order !== undefined && <Order fields={fields} order={order} />}
          <Check value={listSettings.value.isCompact} onValue={setCompact}>
            Compact rows
          </Check>
          <fieldset class="menu-set">
            <legend>Columns</legend>
            {Object.entries(columns).map(([column, word]) => (
              <Check
                key={column}
                value={hasColumn(view, column)}
                onValue={(isShown) => showColumn(view, column, isShown)}
              >
                {word}
              </Check>
            ))}
          </fieldset>
          <Saved view={view} onClose={close} />
        </>
      )}
    </Menu>
  )
}

function Order({ fields, order }: { fields: FilterFields; order: string }) {
  const field = fields['order']
  if (field?.type !== 'choice') return null
  return (
    <ChoiceField
      label="Order"
      all={order}
      words={choiceWords(field)}
      value={chipOf('order')}
      onChoose={(value) => narrow({ order: value }, 'replace')}
    />
  )
}

function Saved({ view, onClose }: { view: View; onClose: () => void }) {
  const name = useSignal('')
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
