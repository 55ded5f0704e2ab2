// The filters of a list as chips, each of which goes with a click, the button that adds one, and the kind's own acts.
import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useRef } from 'preact/hooks'
import { Icon } from '../../parts/icon.tsx'
import type { RecordKind } from '../../kind/record-kind.ts'
import { address, go } from '../../state/address.ts'
import { announce } from '../../page/announce.ts'
import { now } from '../../page/clock.ts'
import { type FilterChip, withChip } from '../../state/filter-chip.ts'
import { chipWords } from '../../state/chip-word.ts'
import { FilterMenu } from './filter-menu.tsx'
import { ListMenu } from './list-menu.tsx'
import { rowColumns } from './record-row-view.tsx'

export function FilterBar({ kind, children }: { kind: RecordKind; children?: ComponentChildren }) {
  const isOpen = useSignal(false)
  const opener = useRef<HTMLButtonElement>(null)
  const { chips } = address.value
  const remove = (chip: FilterChip) => {
    go({ chips: chips.filter((one) => one !== chip) })
    announce('Filter removed.')
    opener.current?.focus()
  }
  const close = () => {
    isOpen.value = false
    opener.current?.focus()
  }
  return (
    <div class="filter-bar" role="group" aria-label="Filters">
      {chips.map((chip) => {
        const { name, value } = chipWords(chip, kind.fields, now.peek())
        return (
          <button
            key={`${chip.field}=${chip.value}`}
            type="button"
            class="chip"
            title={`Remove filter: ${name} ${value}`}
            onClick={() => remove(chip)}
          >
            <span class="chip-name">{name}</span>
            <span class="chip-value">{value}</span>
            <Icon name="close" size={12} />
            <span class="hidden">, remove filter</span>
          </button>
        )
      })}
      <div class="menu-place">
        <button
          ref={opener}
          type="button"
          class="button small quiet"
          aria-expanded={isOpen.value}
          aria-haspopup="dialog"
          onClick={() => (isOpen.value = !isOpen.value)}
        >
          <Icon name="filter" size={14} />
          Filter
        </button>
        {isOpen.value && (
          <FilterMenu
            kind={kind}
            onClose={close}
            onAdd={(chip) => {
              go({ chips: withChip(chips, chip, kind.fields) })
              close()
            }}
          />
        )}
      </div>
      <ListMenu view={kind.view} fields={kind.fields} columns={rowColumns} order={kind.order} />
      {chips.length > 1 && (
        <button type="button" class="link" onClick={() => go({ chips: [] })}>
          Clear all
        </button>
      )}
      {children && (
        <>
          <span class="spacer" />
          {children}
        </>
      )}
    </div>
  )
}
