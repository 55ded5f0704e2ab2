// Registers a JSON Schema, or its next version. On an error the text stays in the box, with the place of the error.
import { TextArea, TextField } from '../../parts/field/form-field.tsx'
import { useSignal } from '@preact/signals'
import { useUnmountSignal, useSubmit } from '../../parts/hook.ts'
import { go } from '../../state/address.ts'
import { openedBook } from '../../state/book.ts'
import { closeDialog } from '../../state/dialog.ts'
import { parseJson } from '../../state/record/store-json.ts'
import { schemaToChange } from '../../state/act/edit.ts'
import { reloadList } from '../../state/list/record-list.ts'
import { tell } from '../../page/toast.ts'
import { ExampleButton, OpeningNote } from '../shell/opening-note.tsx'
import { FormDialog } from '../../parts/dialog.tsx'

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
  const unmounted = useUnmountSignal()
  const { failure, submit } = useSubmit(async () => {
    const current = await openedBook(unmounted)
    const done = await current.facts.schemas.register({
      name: name.value.trim(),
      schema: parseJson(text.value) as Record<string, unknown>,
      ...(description.value.trim() === '' ? {} : { description: description.value.trim() }),
    })
    closeDialog()
    tell(`Version ${done.version} of the schema “${name.value.trim()}” is registered.`)
    go({ view: 'schemas', search: '', chips: [], id: done.id })
    await reloadList({ keepPlace: true })
  })
  return (
    <FormDialog
      title={before ? `Change the schema “${before.name}”` : 'Register a schema'}
      wide
      onClose={closeDialog}
      act="Register"
      onAct={submit}
      isReady={name.value.trim() !== '' && text.value.trim() !== ''}
      failed="Not registered."
      failure={failure}
      tools={!before && <ExampleButton text={example} into={text} />}
    >
      <TextField
        label="Schema name"
        of={name}
        spellcheck={false}
        placeholder="course.v1"
        readOnly={before !== undefined}
      />
      <TextField label="Description" of={description} />
      <TextArea
        label="JSON Schema, draft 2020-12"
        of={text}
        class="input code-input"
        rows={12}
        spellcheck={false}
      />
      {before && (
        <p class="quiet">
          Stored facts keep the version they were checked against. New facts are checked against this one.
        </p>
      )}
      <OpeningNote />
    </FormDialog>
  )
}
