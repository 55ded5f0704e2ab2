// Asks before an agent of somebody else is admitted, and shows its whole key to be compared.
import { Question } from '../../parts/dialog.tsx'
import { closeDialog } from '../../state/dialog.ts'
import { admitQuestion, confirmAdmit } from '../../state/pool/pool.ts'

export function AdmitDialog() {
  const applicant = admitQuestion.value
  if (!applicant) return null
  const { claw, name, key } = applicant
  return (
    <Question title="Admit this agent?" onClose={closeDialog} act="Admit agent" onAct={confirmAdmit}>
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
    </Question>
  )
}
