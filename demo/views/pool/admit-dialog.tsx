// Asks before an agent of somebody else is admitted, and shows its whole key to be compared.
import { Dialog } from '../../parts/dialog.tsx'
import { closeDialog } from '../../state/dialog.ts'
import { admitAsked, admitQuestion } from '../../state/pool/admission.ts'

export function AdmitDialog() {
  const who = admitQuestion.value
  if (!who) return null
  const { claw, name, key } = who
  return (
    <Dialog title="Admit this agent?" onClose={closeDialog}>
      <blockquote class="quoted" dir="auto">
        <bdi>{name}</bdi>
        {name !== claw && (
          <>
            {' '}
            <code>{claw}</code>
          </>
        )}
      </blockquote>
      {key === undefined ? (
        <p>It signs nothing, so anybody can speak under its name.</p>
      ) : (
        <>
          <p>Admit it only if its owner gives you this very key. Anybody can take the name.</p>
          <p>
            <code class="whole-key">{key}</code>
          </p>
        </>
      )}
      <ul class="plain-list">
        <li>Its presence, its votes and its decisions count, on all devices of this book.</li>
        <li>You can let it go again.</li>
      </ul>
      <div class="dialog-actions">
        <button type="button" class="button" onClick={closeDialog}>
          Cancel
        </button>
        <button type="button" class="button primary" onClick={() => void admitAsked()}>
          Admit agent
        </button>
      </div>
    </Dialog>
  )
}
