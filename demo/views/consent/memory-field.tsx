// The fields of a memory, as several forms have them.
import { memoryTypes, sensitivities } from '../../kind/view-field.ts'
import type { Waiting } from '../../state/consent/queue.ts'
import { ChoiceField, Suggestions, TextField } from '../../parts/field/form-field.tsx'

interface FieldProps<Value extends string> {
  readonly value: Value
  readonly onChange: (value: Value) => void
}

const categories = [
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
    <>
      <TextField
        label="Category"
        value={value}
        onValue={onChange}
        list="usual-categories"
        required
        spellcheck={false}
        placeholder="a2p:preferences"
      />
      <Suggestions id="usual-categories" values={categories} />
    </>
  )
}

type Type = Waiting['memory_type']

export function TypeField({ value, onChange }: FieldProps<Type>) {
  return (
    <ChoiceField
      label="Type"
      words={memoryTypes}
      value={value}
      onChoose={(chosen) => onChange(chosen as Type)}
    />
  )
}

/** With `usual` it may be empty, for the default of the category. */
export function SensitivityField({
  value,
  onChange,
  usual = false,
}: FieldProps<string> & { readonly usual?: boolean }) {
  return (
    <ChoiceField
      label="Sensitivity"
      all={usual ? 'Default for its category' : undefined}
      words={sensitivities}
      value={value}
      onChoose={onChange}
    />
  )
}
