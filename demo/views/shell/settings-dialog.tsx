// Settings of sync: whether this browser syncs with the edge, and the key.
import { Check, TextField } from '../../parts/field/form-field.tsx'
import { useSignal } from '@preact/signals'
import { openBook } from '../../state/book.ts'
import { closeDialog } from '../../state/dialog.ts'
import { edgeUrl, syncChoice } from '../../state/setting.ts'
import { FormDialog } from '../../parts/dialog.tsx'

export function SettingsDialog() {
  const isEnabled = useSignal(syncChoice.value.enabled)
  const key = useSignal(syncChoice.value.key)
  const save = () => {
    syncChoice.value = { enabled: isEnabled.value, key: key.value }
    closeDialog()
    return openBook()
  }
  return (
    <FormDialog
      title="Sync settings"
      onClose={closeDialog}
      act="Save and open the book again"
      onAct={save}
      isReady={edgeUrl !== undefined}
    >
      {edgeUrl === undefined ? (
        <p>
          This page was built without an edge. To sync, set <code>VITE_EDGE_URL</code> when you build or start
          it.
        </p>
      ) : (
        <>
          <Check of={isEnabled}>Sync this browser’s books with the edge</Check>
          <p class="quiet">
            Edge: <code>{edgeUrl}</code>. The page’s security policy allows no other address. To change it,
            set <code>VITE_EDGE_URL</code> when you build the page.
          </p>
          <TextField label="Key" of={key} class="input mono" type="password" />
          <p class="faint">
            Stored in this browser, next to unsent changes. <code>development</code> works only with an edge
            on this machine.
          </p>
        </>
      )}
    </FormDialog>
  )
}
