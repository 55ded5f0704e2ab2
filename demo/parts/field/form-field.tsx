// Fields of forms, each inside its label: a line of text, lines of text, a choice, a tick.
// A field is bound to a signal (`of`), or has a value and a callback.
import type { Signal } from '@preact/signals'
import type { ComponentChildren, ComponentProps } from 'preact'

type Bound<Value> =
  | { readonly of: Signal<Value>; readonly value?: never; readonly onValue?: never }
  | { readonly of?: never; readonly value: Value; readonly onValue: (value: Value) => void }

function bound<Value>({ of, value, onValue }: Bound<Value>): [Value, (value: Value) => void] {
  return of ? [of.value, (next) => void (of.value = next)] : [value, onValue]
}

/** Attributes that only some types of `<input>` have, as their types say. */
interface InputExtras {
  readonly list?: string | undefined
}

type FieldProps = Bound<string> & { readonly label: ComponentChildren }

/** One line. Further attributes are those of `<input>`. */
export function TextField({
  label,
  of,
  value,
  onValue,
  ...others
}: FieldProps & InputExtras & Omit<ComponentProps<'input'>, 'label' | 'value' | 'onInput'>) {
  const [text, set] = bound({ of, value, onValue } as Bound<string>)
  return (
    <label class="labelled">
      {label}
      <input
        class="input"
        autocomplete="off"
        {...(others as object)}
        value={text}
        onInput={({ currentTarget }) => set(currentTarget.value)}
      />
    </label>
  )
}

/** Several lines. Further attributes are those of `<textarea>`. */
export function TextArea({
  label,
  of,
  value,
  onValue,
  ...others
}: FieldProps & Omit<ComponentProps<'textarea'>, 'label' | 'value' | 'onInput'>) {
  const [text, set] = bound({ of, value, onValue } as Bound<string>)
  return (
    <label class="labelled">
      {label}
      <textarea
        class="input"
        {...(others as object)}
        value={text}
        onInput={({ currentTarget }) => set(currentTarget.value)}
      />
    </label>
  )
}

interface CheckProps {
  readonly children: ComponentChildren
  readonly type?: 'checkbox' | 'radio'
  /** Radio buttons of one name are alternatives. */
  readonly name?: string
  readonly disabled?: boolean
}

/** A tick, or one of several alternatives. */
export function Check({
  children,
  of,
  value,
  onValue,
  type = 'checkbox',
  ...others
}: Bound<boolean> & CheckProps) {
  const [isOn, set] = bound({ of, value, onValue } as Bound<boolean>)
  return (
    <label class="check">
      <input
        type={type}
        checked={isOn}
        onChange={({ currentTarget }) => set(currentTarget.checked)}
        {...others}
      />
      {children}
    </label>
  )
}

interface ChoiceFieldProps {
  readonly label: ComponentChildren
  /** The words of the choices, by value. */
  readonly words: Readonly<Record<string, string>>
  /** The words for the empty value; without them there is always a value. */
  readonly all?: string | undefined
  readonly value: string | undefined
  /** Gets the value; empty for none. */
  readonly onChoose: (value: string) => void
}

export function ChoiceField({ label, words, all, value, onChoose }: ChoiceFieldProps) {
  return (
    <label class="labelled">
      {label}
      <select
        class="input"
        value={value ?? ''}
        onChange={({ currentTarget: { value: chosen } }) => onChoose(chosen)}
      >
        {all !== undefined && <option value="">{all}</option>}
        {Object.entries(words).map(([key, word]) => (
          <option key={key} value={key}>
            {word}
          </option>
        ))}
      </select>
    </label>
  )
}

/** Values that the browser suggests for a text field with `list={id}`. */
export function Suggestions({ id, values }: { id: string; values: readonly string[] }) {
  return (
    <datalist id={id}>
      {values.map((one) => (
        <option key={one} value={one} />
      ))}
    </datalist>
  )
}
