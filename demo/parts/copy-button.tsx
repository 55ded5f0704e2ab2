// Copies a text and says so for a moment.
import { useSignal } from '@preact/signals'
import { announce } from '../page/announce.ts'
import { tellError } from '../page/toast.ts'
import { Icon } from './icon.tsx'

const doneMs = 1500

export function CopyButton({
  text,
  what,
  word = false,
}: {
  text: string | (() => string)
  what: string
  word?: boolean
}) {
  const isDone = useSignal(false)
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(typeof text === 'string' ? text : text())
      isDone.value = true
      announce(`${what} copied.`)
      setTimeout(() => (isDone.value = false), doneMs)
    } catch (error) {
      tellError(`The browser blocked copying the ${what}.`, error)
    }
  }
  const label = `Copy ${what}`
  return (
    <button
      type="button"
      class={word ? 'button small' : 'icon-button small'}
      title={label}
      onClick={() => void copy()}
    >
      <Icon name={isDone.value ? 'done' : 'copy'} size={14} />
      {word ? <span>{isDone.value ? 'Copied' : label}</span> : <span class="hidden">{label}</span>}
    </button>
  )
}
