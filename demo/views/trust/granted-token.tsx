// A token that was just granted, as the text that its holder presents.
import { CopyButton } from '../../parts/copy-button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { closeDialog } from '../../state/dialog.ts'
import { granted } from '../../state/trust/token.ts'

export function GrantedToken() {
  const now = granted.value
  if (!now) return null
  return (
    <Dialog title="The token is granted" onClose={closeDialog}>
      <p>
        Agents that work in this page use it by its id: <code>{'{ as: '}</code>
        <code>{now.token_id}</code>
        <code>{' }'}</code>.
      </p>
      {now.bearer === undefined ? (
        <p>
          The tab that granted it was closed before the bearer text could be shown. That text is not stored:
          revoke this token and grant another if you need it.
        </p>
      ) : (
        <>
          <p>
            Over HTTP, the holder sends this text as a bearer token. It is shown only once and not stored.
            Anyone with this token has this access. Share it over a private channel.
          </p>
          <textarea class="input code-input" rows={5} readOnly aria-label="Bearer text" value={now.bearer} />
        </>
      )}
      <div class="dialog-actions">
        {now.bearer !== undefined && <CopyButton text={now.bearer} what="bearer text" word />}
        <span class="spacer" />
        <button type="button" class="button primary" onClick={closeDialog}>
          Done
        </button>
      </div>
    </Dialog>
  )
}
