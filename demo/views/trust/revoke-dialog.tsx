// Asks before a token is revoked, why, and says what goes with it.
import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import { Dialog } from '../../parts/dialog.tsx'
import { closeDialog } from '../../state/dialog.ts'
import { status } from '../../state/status.ts'
import { revokeQuestion, revokeToken } from '../../state/trust/token.ts'
import { countOf } from '../../wording/text-word.ts'

export function RevokeDialog() {
  const question = revokeQuestion.value
  const reason = useSignal('')
  const id = useId()
  if (!question) return null
  const { token, below } = question
  const submit = (event: Event) => {
    event.preventDefault()
    void revokeToken(reason.value.trim())
  }
  return (
    <Dialog title="Revoke this token?" onClose={closeDialog}>
      <form class="fields-form" onSubmit={submit}>
        <blockquote class="quoted" dir="auto">
          {token.granted_to} <code>{token.scope}</code>
        </blockquote>
        <ul class="plain-list">
          <li>Access ends immediately. This cannot be undone; you can grant a new token.</li>
          {below > 0 && <li>{countOf(below, 'delegated token is', 'delegated tokens are')} revoked too.</li>}
          {status.value?.sync.configured && <li>Synced immediately.</li>}
        </ul>
        <label class="labelled" for={id}>
          Reason (kept in history)
          <input
            id={id}
            class="input"
            type="text"
            maxLength={2000}
            autocomplete="off"
            value={reason.value}
            onInput={(event) => (reason.value = event.currentTarget.value)}
          />
        </label>
        <div class="dialog-actions">
          <button type="button" class="button" onClick={closeDialog}>
            Cancel
          </button>
          <button type="submit" class="button danger">
            Revoke token
          </button>
        </div>
      </form>
    </Dialog>
  )
}
