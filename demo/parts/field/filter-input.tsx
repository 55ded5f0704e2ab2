// A text to filter by, which applies on Enter or when focus leaves the field.
// Invariant: drawing the view again keeps the text that is being typed.
import { useSignal } from '@preact/signals'

interface FilterInputProps {
  /** The filter now. */
  readonly value: string | undefined
  /** Gets the trimmed text; empty for no filter. */
  readonly onDone: (text: string) => void
  readonly placeholder: string
  readonly class?: string
  readonly maxLength?: number
  readonly 'aria-describedby'?: string | undefined
}

export function FilterInput({ value, onDone, class: look = 'input', ...others }: FilterInputProps) {
  // Preact sets `value` whenever it differs from the text in the field, so it gets the typed text too.
  const typed = useSignal<string | undefined>(undefined)
  return (
    <input
      type="text"
      class={look}
      autocomplete="off"
      spellcheck={false}
      value={typed.value ?? value ?? ''}
      onInput={(event) => (typed.value = event.currentTarget.value)}
      onChange={(event) => {
        typed.value = undefined
        onDone(event.currentTarget.value.trim())
      }}
      onBlur={() => (typed.value = undefined)}
      {...others}
    />
  )
}

/** The same with a label, for the row of filters above a list. */
export function FilterText({ label, ...input }: FilterInputProps & { readonly label: string | undefined }) {
  return (
    <label class="labelled">
      {label}
      <FilterInput {...input} />
    </label>
  )
}
