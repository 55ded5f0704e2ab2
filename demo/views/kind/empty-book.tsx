// A book without a trace: three ways to get the first ones, each for real.
import { FilePicker } from '../../parts/field/file-picker.tsx'
import { Icon } from '../../parts/icon.tsx'
import { bookName } from '../../state/address.ts'
import { openDialog } from '../../state/dialog.ts'
import { importFiles } from '../../state/bundle/import.ts'
import { isSampling, loadSample } from '../../state/act/sample.ts'

export function EmptyBook() {
  return (
    <section class="page empty-book" aria-labelledby="empty-title">
      <h1 id="empty-title">The book “{bookName}” is empty</h1>
      <p class="quiet">
        Here stands what an agent did: the situation, the task, the action and its result, one trace each. It
        is kept in this browser and works offline. Three ways to begin:
      </p>
      <ol class="ways">
        <li class="way">
          <h2>
            <Icon name="import" /> Import a trajectory
          </h2>
          <p>
            Drop SWE-agent <code>.traj</code> files anywhere on this page, or pick them. Each step becomes a
            trace, each run a session.
          </p>
          <FilePicker onFiles={importFiles} class="button primary">
            Choose files
          </FilePicker>
        </li>
        <li class="way">
          <h2>
            <Icon name="paste" /> Paste a trace as JSON
          </h2>
          <p>One trace or a list of them. What does not fit is refused with the place where it is wrong.</p>
          <button type="button" class="button" onClick={() => (openDialog.value = 'paste')}>
            Paste JSON
          </button>
        </li>
        <li class="way">
          <h2>
            <Icon name="play" /> Watch a scripted agent
          </h2>
          <p>
            A small script in this page plays a courier who looks for the way through a house, twice, using
            the same API as any agent. What it stores is tagged <code>sample</code>.
          </p>
          <button type="button" class="button" disabled={isSampling.value} onClick={() => void loadSample()}>
            {isSampling.value ? 'Running…' : 'Run the guided sample'}
          </button>
        </li>
      </ol>
      <p class="faint">
        Your own agent writes here too: open the same book from a page of this origin with{' '}
        <code>
          openDaybook({'{'} name: '{bookName}' {'}'})
        </code>
        .
      </p>
    </section>
  )
}
