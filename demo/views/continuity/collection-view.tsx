// The view of collections of a persona: the tree of collections, the records of one, and moving or removing them.
import { LockedNote, More, RowAct } from '../../parts/list-part.tsx'
import { FormDialog } from '../../parts/dialog.tsx'
import { Suggestions, TextField } from '../../parts/field/form-field.tsx'
import { useSubmit } from '../../parts/hook.ts'
import { useSignal } from '@preact/signals'
import { EmptyNote } from '../../parts/empty-note.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { Icon } from '../../parts/inline.tsx'
import type { BookRecord } from '../../kind/record-kind.ts'
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
import { ContinuityPage } from './continuity-page.tsx'
import { RecordRef, titleOf } from './line-list.tsx'

export function CollectionView() {
  return <ContinuityPage title="Collections">{(persona) => <Collections persona={persona} />}</ContinuityPage>
}

function Collections({ persona }: { persona: Known }) {
  const found = collected.value?.persona === persona.ci_id ? collected.value : undefined
  return (
    <>
      <ErrorNotice
        title="The collections could not be read."
        error={collectionsFailure.value}
        retry={loadCollections}
      />
      {found && <LockedNote count={found.sealed} one="record" />}
      {found && found.collections.length === 0 && found.name === undefined && <Nothing persona={persona} />}
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

function Nothing({ persona }: { persona: Known }) {
  return (
    <EmptyNote title="No collections yet">
      <p>
        This is where {persona.name}’s collections appear, such as <i>People/Alice</i>. An agent puts a record
        into one; so can you, in the record’s marks. Try it in this page’s console:
      </p>
      <pre class="code-sample" tabIndex={0} aria-label="Example">{`const { id } = await book.thoughts.learn({
  persona: '${persona.name}', knowledge: 'Alice likes tea',
})
await book.thoughts.mark({
  persona: '${persona.name}', memoryId: id, collection: 'People/Alice',
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
      {cursor !== undefined && <More onMore={loadMoreCollected}>Show older records</More>}
    </section>
  )
}

function RecordRow({ record }: { record: BookRecord }) {
  const { id, marks = {} } = record
  const title = titleOf(record)
  const stored = marks.importance ?? (record as { importance?: unknown }).importance
  return (
    <li class="memory-row">
      <p class="memory-text" dir="auto">
        {title}
      </p>
      <p class="memory-facts">
        <RecordRef id={id} />
        {typeof stored === 'number' && <span>importance {stored}</span>}
        {marks.personal === true && <span>personal</span>}
        <bdi>{marks.collection}</bdi>
      </p>
      <div class="row-acts">
        <RowAct word="Move…" of={title} onAct={() => (moving.value = record)} />
        <RowAct
          word="Remove"
          of={title}
          onAct={() => markRecord({ id, collection: null }, 'Removed from the collection.')}
        />
      </div>
    </li>
  )
}

function MoveDialog({ record, found }: { record: BookRecord; found: Collected }) {
  const stored = record.marks?.collection ?? ''
  const typed = useSignal(stored)
  const name = typed.value.trim()
  const close = () => (moving.value = undefined)
  const { failure, submit } = useSubmit(async () => {
    if (name !== stored) await moveRecord(record, name)
    close()
  })
  return (
    <FormDialog
      title="Move to another collection"
      onClose={close}
      act="Move"
      onAct={submit}
      isReady={name !== ''}
      failed="The record was not moved."
      failure={failure}
    >
      <blockquote class="quoted" dir="auto">
        {titleOf(record)}
      </blockquote>
      <TextField
        label="Collection"
        of={typed}
        list="collections"
        spellcheck={false}
        maxLength={200}
        placeholder="such as People/Alice"
      />
      <Suggestions id="collections" values={found.collections.map((one) => one.name)} />
    </FormDialog>
  )
}
