// The fields of a memory, as several forms have them.
import { memoryTypes, sensitivities } from '../../kind/view-field.ts'
import type { Waiting } from '../../state/consent/queue.ts'

interface FieldProps<Value extends string> {
  readonly value: Value
  readonly onChange: (value: Value) => void
}

const usual = [
  'a2p:identity',
  'a2p:preferences',
  'a2p:preferences.communication',
  'a2p:professional',
  'a2p:interests',
  'a2p:context',
  'a2p:relationships',
  'a2p:health',
  'a2p:financial',
]

export function CategoryField({ value, onChange }: FieldProps<string>) {
  return (
    <label class="labelled">
      Category
      <input
        class="input"
        list="usual-categories"
        required
        spellcheck={false}
        autocomplete="off"
        placeholder="a2p:preferences"
        value={value}
        onInput={({ currentTarget }) => onChange(currentTarget.value)}
      />
      <datalist id="usual-categories">
        {usual.map((one) => (
          <option key={one} value={one} />
        ))}
      </datalist>
    </label>
  )
}

type Type = Waiting['memory_type']

export function TypeField({ value, onChange }: FieldProps<Type>) {
  return (
    <label class="labelled">
      Type
      <select
        class="input"
        value={value}
        onChange={({ currentTarget }) => onChange(currentTarget.value as Type)}
      >
        {Object.entries(memoryTypes).map(([type, word]) => (
          <option key={type} value={type}>
            {word}
          </option>
        ))}
      </select>
    </label>
  )
}

/** `usual`: it may be left to what the category usually is. */
export function SensitivityField({
  value,
  onChange,
  usual: isUsual = false,
}: FieldProps<string> & { readonly usual?: boolean }) {
  return (
    <label class="labelled">
      Sensitivity
      <select class="input" value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
        {isUsual && <option value="">Default for its category</option>}
        {Object.entries(sensitivities).map(([level, word]) => (
          <option key={level} value={level}>
            {word}
          </option>
        ))}
      </select>
    </label>
  )
}
