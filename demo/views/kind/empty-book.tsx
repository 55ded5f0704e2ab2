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
        This is where traces of an agent appear: the situation, the task, the action and its result. The book
        is stored in this browser and works offline. Three ways to begin:
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
          <p>One trace or a list of traces. Invalid entries are rejected with the path of the error.</p>
          <button type="button" class="button" onClick={() => (openDialog.value = 'paste')}>
            Paste JSON
          </button>
        </li>
        <li class="way">
          <h2>
            <Icon name="play" /> Watch a scripted agent
          </h2>
          <p>
            A demo agent explores a small maze twice, using the same API as any agent. Everything it stores is
            tagged <code>sample</code>.
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
