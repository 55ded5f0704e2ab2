// Whether this browser syncs the book with the edge, and with which key.
import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import { Dialog } from '../../parts/dialog.tsx'
import { openBook } from '../../state/book.ts'
import { closeDialog } from '../../state/dialog.ts'
import { edgeUrl, keepSyncChoice, syncChoice } from '../../state/edge.ts'

export function SettingsDialog() {
  const isEnabled = useSignal(syncChoice.value.enabled)
  const key = useSignal(syncChoice.value.key)
  const id = useId()
  const save = (event: Event) => {
    event.preventDefault()
    keepSyncChoice({ enabled: isEnabled.value, key: key.value })
    closeDialog()
    void openBook()
  }
  return (
    <Dialog title="Sync settings" onClose={closeDialog}>
      <form class="fields-form" onSubmit={save}>
        {edgeUrl === undefined ? (
          <p>
            This page was built without an edge. Set <code>VITE_EDGE_URL</code> when it is built or started to
            sync.
          </p>
        ) : (
          <>
            <label class="check">
              <input
                type="checkbox"
                checked={isEnabled.value}
                onChange={(event) => (isEnabled.value = event.currentTarget.checked)}
              />
              Sync this browser’s books with the edge
            </label>
            <p class="quiet">
              Edge: <code>{edgeUrl}</code>. The address is part of this page’s security policy, which lets it
              talk to no other; it is set by <code>VITE_EDGE_URL</code>.
            </p>
            <label class="labelled" for={id}>
              Key
              <input
                id={id}
                class="input mono"
                type="password"
                autocomplete="off"
                value={key.value}
                onInput={(event) => (key.value = event.currentTarget.value)}
              />
            </label>
            <p class="faint">
              Stored in this browser, next to the changes that wait to be sent. <code>development</code> works
              with an edge on this machine only.
            </p>
          </>
        )}
        <div class="dialog-actions">
          <button type="button" class="button" onClick={closeDialog}>
            Cancel
          </button>
          <button type="submit" class="button primary" disabled={edgeUrl === undefined}>
            Save and open the book again
          </button>
        </div>
      </form>
    </Dialog>
  )
}
