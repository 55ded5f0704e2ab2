// A field to filter by, whose text counts when the reader is done with it: on Enter, or when he leaves the field.
// Invariant: what is being typed stays, however often the view around it is drawn anew.
import { useSignal } from '@preact/signals'

interface FilterInputProps {
  /** What it is filtered by now. */
  readonly value: string | undefined
  /** Told the text without the spaces around it, empty for no filter. */
  readonly onDone: (text: string) => void
  readonly placeholder: string
  readonly class?: string
  readonly maxLength?: number
  readonly 'aria-describedby'?: string | undefined
}

export function FilterInput({ value, onDone, class: look = 'input', ...others }: FilterInputProps) {
  // Preact sets `value` whenever it differs from what the field shows, so the text typed so far is given to it too.
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
