// The dialog that saves the open run as one HTML file: what it will have, and whether with the texts of sensitive records.
import { useSignal } from '@preact/signals'
import { isSensitive } from '../../kind/run/redacted-run.ts'
import { FormDialog } from '../../parts/dialog.tsx'
import { Check } from '../../parts/field/form-field.tsx'
import { useSubmit } from '../../parts/hook.ts'
import { saveRun } from '../../state/run/save-run.ts'
import { transcript } from '../../state/run/transcript.ts'
import { countOf, countWord } from '../../wording/text-word.ts'

export function SaveDialog({ onClose }: { onClose: () => void }) {
  const includesSensitive = useSignal(false)
  const { failure, isBusy, submit } = useSubmit(async () => {
    await saveRun(includesSensitive.value)
    onClose()
  })
  const { entries = [], run } = transcript.value ?? {}
  const sensitive = entries.filter(isSensitive).length
  const all = (run?.steps ?? 0) + (run?.messages ?? 0)
  return (
    <FormDialog
      title="Save this run as HTML"
      onClose={onClose}
      act="Save"
      onAct={submit}
      isReady={!isBusy}
      failed="The run was not saved."
      failure={failure}
    >
      <p>
        One file with all steps, for any browser, also offline. Anyone who has the file can read it. Known
        forms of secrets are replaced by marks.
      </p>
      {entries.length < all && (
        <p>
          The file will have the {countWord(entries.length)} of {countWord(all)} entries that this page shows.
        </p>
      )}
      {sensitive > 0 && (
        <>
          <p>
            {countOf(sensitive, 'record')} of this run {sensitive === 1 ? 'is' : 'are'} sensitive. Their texts
            are encrypted in the book; in the file they would be readable by anyone who has it.
          </p>
          <Check of={includesSensitive}>Include the texts of sensitive records</Check>
        </>
      )}
    </FormDialog>
  )
}
