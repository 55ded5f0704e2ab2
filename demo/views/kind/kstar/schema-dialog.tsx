// Registers a JSON Schema, or the next version of one. What is refused stays in the box, with the place where it is wrong.
import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import { Dialog } from '../../../parts/dialog.tsx'
import { ErrorNotice } from '../../../parts/error-notice.tsx'
import { useGone } from '../../../parts/use-gone.ts'
import { go } from '../../../state/address.ts'
import { openedBook } from '../../../state/book.ts'
import { closeDialog } from '../../../state/dialog.ts'
import { parseJson } from '../../../state/record/parse-json.ts'
import { schemaToChange } from '../../../state/record/schema.ts'
import { reloadList } from '../../../state/list/record-list.ts'
import { tell } from '../../../page/toast.ts'
import { OpeningNote } from '../../shell/opening-note.tsx'

const example = `{
  "type": "object",
  "required": ["code", "title"],
  "properties": {
    "code": { "type": "string", "pattern": "^[A-Z]{2}[0-9]{3}$" },
    "title": { "type": "string", "minLength": 1 },
    "credits": { "type": "integer", "minimum": 0 }
  },
  "additionalProperties": false
}`

export function SchemaDialog() {
  const before = schemaToChange.peek()
  const name = useSignal(before?.name ?? '')
  const description = useSignal(before?.description ?? '')
  const text = useSignal(before ? JSON.stringify(before.schema, null, 2) : '')
  const error = useSignal<unknown>(undefined)
  const id = useId()
  const gone = useGone()
  const register = async (event: Event) => {
    event.preventDefault()
    error.value = undefined
    try {
      const current = await openedBook(gone)
      const done = await current.facts.schemas.register({
        name: name.value.trim(),
        schema: parseJson(text.value) as Record<string, unknown>,
        ...(description.value.trim() === '' ? {} : { description: description.value.trim() }),
      })
      closeDialog()
      tell(`Version ${done.version} of the schema “${name.value.trim()}” is registered.`)
      go({ view: 'schemas', search: '', chips: [], id: done.id })
      await reloadList({ keepPlace: true })
    } catch (failure) {
      error.value = failure
    }
  }
  const isFilled = name.value.trim() !== '' && text.value.trim() !== ''
  return (
    <Dialog
      title={before ? `Change the schema “${before.name}”` : 'Register a schema'}
      onClose={closeDialog}
      wide
    >
      <form class="fields-form" onSubmit={(event) => void register(event)}>
        <label class="labelled" for={`${id}-name`}>
          Schema name
          <input
            id={`${id}-name`}
            class="input"
            type="text"
            autocomplete="off"
            spellcheck={false}
            placeholder="course.v1"
            readOnly={before !== undefined}
            value={name.value}
            onInput={(event) => (name.value = event.currentTarget.value)}
          />
        </label>
        <label class="labelled" for={`${id}-description`}>
          Description
          <input
            id={`${id}-description`}
            class="input"
            type="text"
            autocomplete="off"
            value={description.value}
            onInput={(event) => (description.value = event.currentTarget.value)}
          />
        </label>
        <label class="labelled" for={`${id}-schema`}>
          JSON Schema, draft 2020-12
          <textarea
            id={`${id}-schema`}
            class="input code-input"
            rows={12}
            spellcheck={false}
            value={text.value}
            onInput={(event) => (text.value = event.currentTarget.value)}
          />
        </label>
        {before && (
          <p class="quiet">
            Facts that are stored already keep the version they were checked against; later ones are held to
            this one.
          </p>
        )}
        {error.value !== undefined && <ErrorNotice title="Not registered." error={error.value} />}
        <OpeningNote />
        <div class="dialog-actions">
          {!before && (
            <button type="button" class="button" onClick={() => (text.value = example)}>
              Fill in an example
            </button>
          )}
          <span class="spacer" />
          <button type="button" class="button" onClick={closeDialog}>
            Cancel
          </button>
          <button type="submit" class="button primary" disabled={!isFilled}>
            Register
          </button>
        </div>
      </form>
    </Dialog>
  )
}
