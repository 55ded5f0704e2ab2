// The view of collections: where a persona keeps its records, what lies in one, and moving it or taking it out.
import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import { Dialog } from '../../parts/dialog.tsx'
import { EmptyNote } from '../../parts/empty-note.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { Icon } from '../../parts/icon.tsx'
import type { BookRecord } from '../../kind/record-kind.ts'
import { kindNamed } from '../../kind/kind-table.ts'
import { go } from '../../state/address.ts'
import { markRecord } from '../../state/act/mark.ts'
import {
  collected,
  type Collected,
  collectionsFailure,
  loadCollections,
  loadMoreCollected,
  moveRecord,
  moving,
} from '../../state/continuity/collections.ts'
import type { Known } from '../../state/continuity/personas.ts'
import { errorWords } from '../../wording/error-word.ts'
import { countOf, oneLine, valueLine } from '../../wording/text-word.ts'
import { ContinuityPage } from './continuity-page.tsx'
import { RecordRef } from './line-list.tsx'

export function CollectionView() {
  return <ContinuityPage title="Collections">{(who) => <Collections who={who} />}</ContinuityPage>
}

function Collections({ who }: { who: Known }) {
  const found = collected.value?.persona === who.ci_id ? collected.value : undefined
  return (
    <>
      {collectionsFailure.value !== undefined && (
        <ErrorNotice
          title="The collections could not be read."
          error={collectionsFailure.value}
          retry={() => void loadCollections()}
        />
      )}
      {found && found.sealed > 0 && (
        <p class="notice" role="note">
          {countOf(found.sealed, 'record')} locked: unlock the keys of this book in Storage.
        </p>
      )}
      {found && found.collections.length === 0 && found.name === undefined && <Nothing who={who} />}
      {found && (found.collections.length > 0 || found.name !== undefined) && (
        <div class="persona-panes">
          <Tree found={found} />
          <Content found={found} />
        </div>
      )}
      {moving.value && found && <MoveDialog key={moving.value.id} record={moving.value} found={found} />}
    </>
  )
}

function Nothing({ who }: { who: Known }) {
  return (
    <EmptyNote title="No collections yet">
      <p>
        This is where {who.name}’s collections appear, such as <i>People/Alice</i>. An agent puts a record
        into one; so can you, in the record’s marks. Try it in this page’s console:
      </p>
      <pre class="code-sample" tabIndex={0} aria-label="Example">{`const { id } = await book.thoughts.learn({
  persona: '${who.name}', knowledge: 'Alice likes tea',
})
await book.thoughts.mark({
  persona: '${who.name}', memoryId: id, collection: 'People/Alice',
})`}</pre>
      <p>
        <button type="button" class="button" onClick={() => go({ view: 'thoughts', id: undefined })}>
          Show thoughts
        </button>
      </p>
    </EmptyNote>
  )
}

interface Branch {
  readonly name: string
  readonly depth: number
  /** In it and below it. */
  readonly records: number
}

/** Every collection and every name above one, in the order of a tree. */
function branchesOf({ collections }: Collected): Branch[] {
  const counts = new Map<string, number>()
  for (const { name, records } of collections) {
    const steps = name.split('/')
    for (let depth = 1; depth <= steps.length; depth += 1) {
      const above = steps.slice(0, depth).join('/')
      counts.set(above, (counts.get(above) ?? 0) + records)
    }
  }
  return [...counts]
    .map(([name, records]) => ({ name, records, depth: name.split('/').length - 1 }))
    .toSorted((a, b) => (a.name.replaceAll('/', '\0') < b.name.replaceAll('/', '\0') ? -1 : 1))
}

function Tree({ found }: { found: Collected }) {
  const branches = branchesOf(found)
  const total = found.collections.reduce((sum, { records }) => sum + records, 0)
  return (
    <section aria-label="All collections">
      <h2>All collections ({found.collections.length})</h2>
      <ul class="queue">
        <BranchRow branch={{ name: '', depth: 0, records: total }} open={found.name ?? ''} />
        {branches.map((branch) => (
          <BranchRow key={branch.name} branch={branch} open={found.name ?? ''} />
        ))}
      </ul>
    </section>
  )
}

function BranchRow({ branch: { name, depth, records }, open }: { branch: Branch; open: string }) {
  return (
    <li>
      <button
        type="button"
        class="queue-row branch"
        data-row
        style={{ paddingLeft: `${12 + depth * 20}px` }}
        aria-current={name === open ? 'true' : undefined}
        onClick={() => go({ id: name === '' ? undefined : name })}
      >
        <Icon name="collection" size={14} />
        <bdi class="queue-text">{name === '' ? 'Everything collected' : name.split('/').at(-1)}</bdi>
        {depth > 0 && <span class="hidden"> in {name.split('/').slice(0, -1).join('/')}</span>}
        <span class="faint">
          {records}
          <span class="hidden"> records</span>
        </span>
      </button>
    </li>
  )
}

function Content({ found }: { found: Collected }) {
  const { name, records, cursor } = found
  return (
    <section aria-label="Records" class="collected">
      <h2 dir="auto">{name ?? 'Everything collected'}</h2>
      {records.length === 0 && (
        <p class="quiet">
          This collection is empty.{' '}
          <button type="button" class="link" onClick={() => go({ id: undefined })}>
            Show everything collected
          </button>
        </p>
      )}
      {records.length > 0 && (
        <ul class="queue">
          {records.map((record) => (
            <RecordRow key={record.id} record={record} />
          ))}
        </ul>
      )}
      {cursor !== undefined && (
        <p>
          <button type="button" class="button" onClick={() => void loadMoreCollected()}>
            Show older records
          </button>
        </p>
      )}
    </section>
  )
}

function titleOf(record: BookRecord): string {
  const kind = kindNamed(record.kind)
  if (kind) return kind.row(record).title
  const { content } = record as { content?: unknown }
  return valueLine(content ?? record, 200)
}

function RecordRow({ record }: { record: BookRecord }) {
  const { id, marks = {} } = record
  const title = titleOf(record)
  const of = <span class="hidden"> “{oneLine(title, 40)}”</span>
  const stored = marks.importance ?? (record as { importance?: unknown }).importance
  return (
    <li class="memory-row">
      <p class="memory-text" dir="auto">
        {title}
      </p>
      <p class="memory-said">
        <RecordRef id={id} />
        {typeof stored === 'number' && <span>importance {stored}</span>}
        {marks.personal === true && <span>personal</span>}
        <bdi>{marks.collection}</bdi>
      </p>
      <div class="row-acts">
        <button type="button" class="button small" onClick={() => (moving.value = record)}>
          Move…{of}
        </button>
        <button
          type="button"
          class="button small"
          onClick={() => void markRecord({ id, collection: null }, 'Removed from the collection.')}
        >
          Remove{of}
        </button>
      </div>
    </li>
  )
}

function MoveDialog({ record, found }: { record: BookRecord; found: Collected }) {
  const stored = record.marks?.collection ?? ''
  const typed = useSignal(stored)
  const failure = useSignal<unknown>(undefined)
  const field = useId()
  const close = () => (moving.value = undefined)
  const name = typed.value.trim()
  const move = async () => {
    failure.value = name === stored ? undefined : await moveRecord(record, name)
    if (failure.value === undefined) close()
  }
  return (
    <Dialog title="Move to another collection" onClose={close}>
      <form
        class="fields-form"
        onSubmit={(event) => {
          event.preventDefault()
          void move()
        }}
      >
        <blockquote class="quoted" dir="auto">
          {oneLine(titleOf(record), 200)}
        </blockquote>
        <label class="labelled" for={field}>
          Collection
          <input
            id={field}
            class="input"
            list={`${field}-known`}
            autocomplete="off"
            spellcheck={false}
            maxLength={200}
            aria-describedby={failure.value === undefined ? undefined : `${field}-error`}
            placeholder="such as People/Alice"
            value={typed.value}
            onInput={({ currentTarget: { value } }) => (typed.value = value)}
          />
        </label>
        <datalist id={`${field}-known`}>
          {found.collections.map((one) => (
            <option key={one.name} value={one.name} />
          ))}
        </datalist>
        {failure.value !== undefined && (
          <p class="form-error" id={`${field}-error`} role="alert">
            {errorWords(failure.value).what}
          </p>
        )}
        <div class="dialog-actions">
          <button type="button" class="button" onClick={close}>
            Cancel
          </button>
          <button type="submit" class="button primary" disabled={name === ''}>
            Move
          </button>
        </div>
      </form>
    </Dialog>
  )
}
