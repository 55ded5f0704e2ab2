// The view of tasks: failed ones, which wait for a decision, then waiting and running ones, then finished ones.
import { Page } from '../shell/page.tsx'
import { EmptyNote } from '../../parts/empty-note.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { Mark } from '../../parts/mark.tsx'
import { Time } from '../../parts/inline.tsx'
import { ValueView } from '../../parts/value-view.tsx'
import type { MarkName } from '../../kind/mark.ts'
import { dropTask, loadTasks, retryTask, type Task, tasks, tasksFailure } from '../../state/sync/task.ts'

const groups = [
  {
    name: 'Failed tasks',
    states: ['dead'],
    text: 'Retries exhausted. Retry or discard them.',
  },
  { name: 'Waiting and running', states: ['waiting', 'running'], text: '' },
  { name: 'Done', states: ['done'], text: 'Kept for a week.' },
] as const

const marksOf: Readonly<Record<Task['state'], MarkName>> = {
  dead: 'dead',
  waiting: 'waiting',
  running: 'running',
  done: 'done',
}

export function TaskView() {
  const all = tasks.value
  return (
    <Page title="Tasks">
      <ErrorNotice title="The tasks could not be read." error={tasksFailure.value} retry={loadTasks} />
      {all?.length === 0 && (
        <EmptyNote title="No tasks yet">
          <p>
            Long-running work, such as calls to a language model, is queued here until it is done, even after
            crashes and closed tabs. An agent queues a call with <code>book.tasks.add</code>.
          </p>
        </EmptyNote>
      )}
      {groups.map(({ name, states, text }) => {
        const some = all?.filter(({ state }) => states.some((one) => one === state)) ?? []
        if (some.length === 0) return null
        return (
          <section key={name} aria-label={name}>
            <h2>
              {name} ({some.length})
            </h2>
            {text !== '' && <p class="quiet">{text}</p>}
            <ul class="conflicts">
              {some.map((task) => (
                <TaskCard key={task.id} task={task} />
              ))}
            </ul>
          </section>
        )
      })}
    </Page>
  )
}

function TaskCard({ task }: { task: Task }) {
  const { capability, state, attempts, maxAttempts: most, dueAt: due, updatedAt: at, error, input } = task
  return (
    <li class="card task">
      <div class="card-row">
        <Mark mark={marksOf[state]} word />
        <code class="task-name">{capability}</code>
        <span class="faint">
          {state === 'waiting' ? 'due ' : ''}
          <Time at={state === 'waiting' ? due : at} /> · attempt {attempts} of {most}
        </span>
        <span class="spacer" />
        {(state === 'dead' || state === 'waiting') && (
          <button type="button" class="button small" onClick={() => void retryTask(task)}>
            {state === 'dead' ? 'Try again' : 'Try now'}
          </button>
        )}
        {state !== 'done' && (
          <button type="button" class="button small" onClick={() => void dropTask(task)}>
            Discard
          </button>
        )}
      </div>
      {error && (
        <p class={state === 'dead' ? 'form-error' : 'quiet'}>
          {error.message} <code>{error.code}</code>
        </p>
      )}
      <details>
        <summary>Input</summary>
        <ValueView value={input} depth={1} />
      </details>
    </li>
  )
}
