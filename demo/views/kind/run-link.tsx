// From a record that was done or said in a session to the run that it is a step of; nothing where that run is open.
import { address } from '../../state/address.ts'
import { openRun } from '../../state/run/transcript.ts'

export function RunLink({
  record: { id, session },
}: {
  record: { id: string; session?: string | undefined }
}) {
  if (session === undefined || address.value.view === 'runs') return null
  return (
    <button type="button" class="link" onClick={() => openRun(session, id)}>
      Open its run
    </button>
  )
}
