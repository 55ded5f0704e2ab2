// The filters of a list as chips, a menu that adds one, and acts on the kind. A click on a chip removes it.
import { Menu } from '../../parts/menu.tsx'
import { ChoiceField, Suggestions, TextField } from '../../parts/field/form-field.tsx'
import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useId, useRef } from 'preact/hooks'
import { Icon } from '../../parts/inline.tsx'
import type { RecordKind } from '../../kind/record-kind.ts'
import { address, go } from '../../state/address.ts'
import { announce } from '../../page/toast.ts'
import { now } from '../../page/clock.ts'
import { chipWords, type FilterChip, withChip } from '../../state/filter-chip.ts'
import { ListMenu } from './list-menu.tsx'
import { rowColumns } from './record-list-view.tsx'
import type { TextField as TextFilter } from '../../kind/filter-field.ts'
import { seenValues } from '../../state/list/record-source.ts'

export function FilterBar({ kind, children }: { kind: RecordKind; children?: ComponentChildren }) {
  const bar = useRef<HTMLDivElement>(null)
  const { chips } = address.value
  const remove = (chip: FilterChip) => {
    go({ chips: chips.filter((one) => one !== chip) })
    announce('Filter removed.')
    bar.current?.querySelector<HTMLElement>('[aria-haspopup]')?.focus()
  }
  return (
    <div ref={bar} class="filter-bar" role="group" aria-label="Filters">
      {chips.map((chip) => (
        <Chip
          key={`${chip.field}=${chip.value}`}
          words={chipWords(chip, kind.fields, now.peek())}
          onRemove={() => remove(chip)}
        />
      ))}
      <Menu icon="filter" word="Filter" label="Add a filter">
        {(close) => (
          <FilterMenu
            kind={kind}
            onAdd={(chip) => {
              go({ chips: withChip(chips, chip, kind.fields) })
              close()
            }}
          />
        )}
      </Menu>
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

interface ChipProps {
  readonly words: { readonly name: string; readonly value: string }
  readonly onRemove: () => void
}

function Chip({ words: { name, value }, onRemove }: ChipProps) {
  return (
    <button type="button" class="chip" title={`Remove filter: ${name} ${value}`} onClick={onRemove}>
      <span class="chip-name">{name}</span>
      <span class="chip-value">{value}</span>
      <Icon name="close" size={12} />
      <span class="hidden">, remove filter</span>
    </button>
  )
}

interface FilterMenuProps {
  readonly kind: RecordKind
  readonly onAdd: (chip: FilterChip) => void
}

/** Makes one filter: first the field, then its value, with the inputs of that type of field. */
function FilterMenu({ kind, onAdd }: FilterMenuProps) {
  const names = Object.keys(kind.fields)
  const chosen = useSignal(names[0] ?? '')
  const name = chosen.value
  const field = kind.fields[name]
  const add = (value: string) => onAdd({ field: name, value })
  return (
    <>
      <ChoiceField
        label="Field"
        words={Object.fromEntries(names.map((one) => [one, kind.fields[one]?.name ?? one]))}
        value={name}
        onChoose={(value) => (chosen.value = value)}
      />
      {field?.type === 'choice' && (
        <div class="choices" role="group" aria-label={field.name}>
          {field.choices.map(({ value, word }) => (
            <button key={value} type="button" class="button" onClick={() => add(value)}>
              {word}
            </button>
          ))}
        </div>
      )}
      {field?.type === 'time' && <TimeFields onAdd={add} />}
      {field?.type === 'text' && (
        <TextFields key={name} field={field} seen={seenValues(kind.view, name)} onAdd={add} />
      )}
    </>
  )
}

interface TextFieldsProps {
  readonly field: TextFilter
  readonly seen: readonly string[]
  readonly onAdd: (value: string) => void
}

const ways = { is: 'is exactly', contains: 'contains' }

function TextFields({ field, seen, onAdd }: TextFieldsProps) {
  const way = useSignal<string>('is')
  const text = useSignal('')
  const id = useId()
  const canContain = !field.isList && !field.ask
  const value = text.value.trim()
  const add = (event: Event) => {
    event.preventDefault()
    if (value !== '') onAdd(way.value === 'contains' && canContain ? `~${value}` : value)
  }
  return (
    <form class="fields-form" onSubmit={add}>
      {canContain && (
        <ChoiceField
          label="Matches when it"
          words={ways}
          value={way.value}
          onChoose={(chosen) => (way.value = chosen)}
        />
      )}
      <TextField
        label={field.ask ? field.ask.hint : 'Value'}
        of={text}
        list={id}
        spellcheck={false}
        maxLength={900}
      />
      <Suggestions id={id} values={seen} />
      <button type="submit" class="button primary" disabled={value === ''}>
        Add filter
      </button>
    </form>
  )
}

const spans = [
  ['Last hour', 3_600_000],
  ['Last 24 hours', 86_400_000],
  ['Last 7 days', 7 * 86_400_000],
  ['Last 30 days', 30 * 86_400_000],
] as const

/** Adds `from..to`, as the address has it. Either side may be empty. */
function TimeFields({ onAdd }: { onAdd: (value: string) => void }) {
  const from = useSignal('')
  const to = useSignal('')
  const isoOf = (local: string) => (local === '' ? '' : new Date(local).toISOString())
  const add = (event: Event) => {
    event.preventDefault()
    onAdd(`${isoOf(from.value)}..${isoOf(to.value)}`)
  }
  const isReversed = from.value !== '' && to.value !== '' && from.value >= to.value
  return (
    <form class="fields-form" onSubmit={add}>
      <div class="choices" role="group" aria-label="Spans">
        {spans.map(([name, ms]) => (
          <button
            key={name}
            type="button"
            class="button"
            onClick={() => onAdd(`${new Date(Date.now() - ms).toISOString()}..`)}
          >
            {name}
          </button>
        ))}
      </div>
      <TextField label="From" of={from} type="datetime-local" />
      <TextField label="To, not included" of={to} type="datetime-local" />
      {isReversed && <p class="form-error">The range ends before it begins.</p>}
      <button
        type="submit"
        class="button primary"
        disabled={isReversed || (from.value === '' && to.value === '')}
      >
        Add filter
      </button>
    </form>
  )
}
