// The permissions of a token: those that the book knows, and further ones as the owner writes them.
import { type Signal, useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'

const knownPermissions = [
  ['read', 'read, search, recall'],
  ['write', 'store and change'],
  ['forget', 'forget'],
  ['export', 'export'],
  ['sync', 'sync'],
  ['delegation', 'delegate'],
] as const

export function PermissionField({ permissions }: { permissions: Signal<readonly string[]> }) {
  const further = useSignal(
    permissions
      .peek()
      .filter((one) => !knownPermissions.some(([name]) => name === one))
      .join(', '),
  )
  const id = useId()
  const has = (name: string) => permissions.value.includes(name)
  const known = () => permissions.peek().filter((one) => knownPermissions.some(([name]) => name === one))
  const setFurther = (text: string) => {
    further.value = text
    const words = text.split(',').map((word) => word.trim())
    permissions.value = [...new Set([...known(), ...words.filter(Boolean)])]
  }
  return (
    <fieldset class="fields-form">
      <legend>Permissions</legend>
      <div class="kind-grid">
        {knownPermissions.map(([name, words]) => (
          <label key={name} class="check">
            <input
              type="checkbox"
              checked={has(name)}
              onChange={() => {
                permissions.value = has(name)
                  ? permissions.value.filter((one) => one !== name)
                  : [...permissions.value, name]
              }}
            />
            {words}
          </label>
        ))}
      </div>
      <label class="labelled" for={id}>
        Other permissions, comma-separated, such as kstar:query_traces
        <input
          id={id}
          class="input mono"
          type="text"
          autocomplete="off"
          spellcheck={false}
          value={further.value}
          onInput={(event) => setFurther(event.currentTarget.value)}
        />
      </label>
    </fieldset>
  )
}
