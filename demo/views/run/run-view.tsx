// The view of runs: the list of all, or the transcript of the one that the address opens.
import { openSession } from '../../state/run/transcript.ts'
import { RunList } from './run-list.tsx'
import { TranscriptView } from './transcript-view.tsx'

export function RunView() {
  return openSession.value === undefined ? <RunList /> : <TranscriptView key={openSession.value} />
}
