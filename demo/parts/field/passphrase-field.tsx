// A passphrase to be typed: unseen unless asked for, and typed twice where it is a new one, for a slip in it can't be undone.
import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'

/** Shorter ones the book refuses. */
export const leastLength = 8

interface PassphraseFieldProps {
  readonly label: string
  /** It is a new one. */
  readonly isNew?: boolean
  /** Told the passphrase whenever it may be used as it stands, and nothing when it may not. */
  readonly onReady: (passphrase: string | undefined) => void
}

export function PassphraseField({ label, isNew = false, onReady }: PassphraseFieldProps) {
  const first = useSignal('')
  const second = useSignal('')
  const isSeen = useSignal(false)
  const id = useId()
  const fault = faultOf(first.value, isNew ? second.value : first.value)
  const take = (typed: typeof first, text: string) => {
    typed.value = text
    const isSound = faultOf(first.value, isNew ? second.value : first.value) === undefined
    onReady(isSound ? first.value : undefined)
  }
  const field = (typed: typeof first, name: string, word: string) => (
    <label class="labelled" for={`${id}-${name}`}>
      {word}
      <input
        id={`${id}-${name}`}
        class="input"
        {...(isSeen.value ? { type: 'text' as const } : { type: 'password' as const })}
        autocomplete={isNew ? 'new-password' : 'current-password'}
        spellcheck={false}
        aria-describedby={`${id}-fault`}
        value={typed.value}
        onInput={(event) => take(typed, event.currentTarget.value)}
      />
    </label>
  )
  return (
    <div class="fields-form">
      {field(first, 'first', label)}
      {isNew && field(second, 'second', 'Repeat passphrase')}
      <label class="check">
        <input
          type="checkbox"
          checked={isSeen.value}
          onChange={(event) => (isSeen.value = event.currentTarget.checked)}
        />
        Show passphrase
      </label>
      <p id={`${id}-fault`} class="form-error" role="status">
        {fault}
      </p>
    </div>
  )
}

/** What is to be mended; undefined when nothing is, and empty when something is still to be typed. */
function faultOf(first: string, second: string): string | undefined {
  if (first === '') return ''
  if (first.length < leastLength) return `At least ${leastLength} characters`
  if (second === '') return ''
  return first === second ? undefined : 'The passphrases differ'
}
