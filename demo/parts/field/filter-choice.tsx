// A choice to filter by, which counts as soon as it is made.

interface FilterChoiceProps {
  readonly label: string | undefined
  /** The words of the choices, by value. */
  readonly words: Readonly<Record<string, string>>
  /** The words for no filter; without them there is always one. */
  readonly all?: string
  /** What it is filtered by now; undefined for no filter. */
  readonly value: string | undefined
  /** Told the value, empty for no filter. */
  readonly onChoose: (value: string) => void
}

export function FilterChoice({ label, words, all, value, onChoose }: FilterChoiceProps) {
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
