// A button that copies a text and confirms it for a moment; an id that is short on the page and whole when copied.
import { useSignal } from '@preact/signals'
import { announce, tellError } from '../page/toast.ts'
import { Icon } from './inline.tsx'
import { shortId } from '../wording/text-word.ts'

const doneMs = 1500

export function CopyButton({
  text,
  of,
  word = false,
}: {
  text: string | (() => string)
  of: string
  word?: boolean
}) {
  const isDone = useSignal(false)
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(typeof text === 'string' ? text : text())
      isDone.value = true
      announce(`${of} copied.`)
      setTimeout(() => (isDone.value = false), doneMs)
    } catch (error) {
      tellError(`The browser blocked copying the ${of}.`, error)
    }
  }
  const label = `Copy ${of}`
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

export function ShortId({ id, of = 'id' }: { id: string; of?: string }) {
  return (
    <span class="short-id">
      <code title={id}>{shortId(id)}</code>
      <CopyButton text={id} of={of} />
    </span>
  )
}
