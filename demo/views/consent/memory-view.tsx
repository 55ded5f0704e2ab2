// The view of memories: by type, then by category, each with its state, its earlier texts and its acts.
import { LockedNote, More, RowAct } from '../../parts/list-part.tsx'
import { Question } from '../../parts/dialog.tsx'
import { Page } from '../shell/page.tsx'
import { FilterText } from '../../parts/field/filter-input.tsx'
import { EmptyNote } from '../../parts/empty-note.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { Icon, Time } from '../../parts/inline.tsx'
import { memoryStates, memoryTypes } from '../../kind/view-field.ts'
import { chipOf, go, narrow } from '../../state/address.ts'
import { status } from '../../state/status.ts'
import { shownOf } from '../../state/record/secret.ts'
import { SecretNote } from '../record/secret-note.tsx'
import {
  archiveMemory,
  classing,
  comparing,
  confirmMemory,
  editing,
  forgetMemory,
  forgetting,
  freshCount,
  listed,
  loadMemories,
  loadMore,
  maintain,
  memoriesFailure,
  type Memory,
  upkeep,
} from '../../state/consent/memories.ts'
import { ChoiceField } from '../../parts/field/form-field.tsx'
import { scopeWord } from '../../wording/policy-word.ts'
import { capital, oneLine, shareWord } from '../../wording/text-word.ts'
import { ClassDialog, MemoryDialog, SimilarDialog } from './memory-dialogs.tsx'

export function MemoryView() {
  const found = listed.value
  return (
    <Page look="consent" title="Memories">
      <Filters />
      <ErrorNotice
        title="The memories could not be read."
        error={memoriesFailure.value}
        retry={loadMemories}
      />
      {freshCount.value > 0 && <More onMore={loadMemories}>Show {freshCount.value} new</More>}
      {found && <LockedNote count={found.sealed} one="memory" many="memories" />}
      {found && found.memories.length === 0 && <Nothing />}
      {found && <Types memories={found.memories} />}
      {found?.cursor !== undefined && <More onMore={loadMore}>Show older memories</More>}
      {editing.value && <MemoryDialog memory={editing.value === 'new' ? undefined : editing.value} />}
      {forgetting.value && <ForgetQuestion memory={forgetting.value} />}
      {comparing.value && <SimilarDialog key={comparing.value.id} memory={comparing.value} />}
      {classing.value && <ClassDialog key={classing.value.id} memory={classing.value} />}
    </Page>
  )
}

function Filters() {
  return (
    <div class="field-row" role="search" aria-label="Filter memories">
      <ChoiceField
        label="Status"
        words={memoryStates}
        value={chipOf('status') ?? 'approved'}
        onChoose={(status) => narrow({ status: status === 'approved' ? '' : status })}
      />
      <ChoiceField
        label="Type"
        all="All types"
        words={memoryTypes}
        value={chipOf('type')}
        onChoose={(type) => narrow({ type })}
      />
      <FilterText
        label="Category, and all below it"
        placeholder="a2p:preferences"
        value={chipOf('category')}
        onDone={(category) => narrow({ category })}
      />
      <button type="button" class="button" onClick={() => (editing.value = 'new')}>
        <Icon name="plus" size={14} />
        Add a memory
      </button>
      <Upkeep />
    </div>
  )
}

function Upkeep() {
  const now = upkeep.value
  const share = now && now.total > 0 ? ` ${shareWord(now.done / now.total)}` : ''
  return (
    <button
      type="button"
      class="button"
      disabled={now !== undefined}
      title="Promotes memories that were often useful, flags unconfirmed ones, archives faded ones. The book does it daily."
      onClick={() => void maintain()}
    >
      {now ? `Running…${share}` : 'Run maintenance'}
    </button>
  )
}

function Nothing() {
  const isNarrowed = ['type', 'category', 'status'].some((name) => chipOf(name) !== undefined)
  if (isNarrowed) return <EmptyNote title="No memory matches these filters." />
  return (
    <EmptyNote title="No memories yet">
      <p>
        This is where approved memories appear. Approve what an agent proposed, add one by hand, or call{' '}
        <code>book.memories.store({'{ content, category }'})</code> in this page’s console.
      </p>
    </EmptyNote>
  )
}

function Types({ memories }: { memories: readonly Memory[] }) {
  return (
    <>
      {Object.entries(memoryTypes).map(([type, word]) => {
        const some = memories.filter(({ memory_type: one }) => one === type)
        if (some.length === 0) return null
        const categories = [...new Set(some.map(({ category }) => category))].toSorted()
        return (
          <section key={type} aria-label={word}>
            <h2>
              {word} ({some.length})
            </h2>
            {categories.map((category) => (
              <section key={category} aria-label={`${type}: ${category}`}>
                <h3 class="category-head" title={category}>
                  {capital(scopeWord(category))}
                </h3>
                <ul class="queue">
                  {some
                    .filter((one) => one.category === category)
                    .map((memory) => (
                      <MemoryRow key={memory.id} memory={memory} />
                    ))}
                </ul>
              </section>
            ))}
          </section>
        )
      })}
    </>
  )
}

function ForgetQuestion({ memory }: { memory: Memory }) {
  return (
    <Question
      title="Forget this memory?"
      onClose={() => (forgetting.value = undefined)}
      act="Forget memory"
      onAct={() => forgetMemory(memory)}
      isDanger
    >
      <blockquote class="quoted" dir="auto">
        {oneLine(shownOf(memory).content, 200)}
      </blockquote>
      <ul class="plain-list">
        <li>Its content, its earlier versions and its index entries are removed. This cannot be undone.</li>
        <li>Memories merged from it are forgotten too.</li>
        {status.value?.sync.configured && <li>Your other devices forget it at the next sync.</li>}
      </ul>
    </Question>
  )
}

interface PastText {
  readonly editedAt: string
  readonly previousContent: string
  readonly editedBy: string
}

const sources: Readonly<Record<string, string>> = {
  user_manual: 'added by you',
  user_import: 'imported',
  agent_direct: 'stored by an agent',
  system_derived: 'derived',
}

function sourceWord({ source }: Memory): string {
  const agent = source['agentName'] ?? source['agentDid']
  const type = String(source['type'])
  if (agent !== undefined && sources[type] === undefined) return `proposed by ${String(agent)}`
  return sources[type] ?? 'proposed by an agent'
}

function MemoryRow({ memory }: { memory: Memory }) {
  const shown = shownOf(memory)
  const { content, status, confidence, sensitivity, source, scope = [], tags = [], metadata } = shown
  const past = Array.isArray(metadata['editHistory']) ? (metadata['editHistory'] as PastText[]) : []
  const labels = [...scope, ...tags]
  return (
    <li class="memory-row">
      <p class="memory-text" dir="auto">
        {content}
      </p>
      {memory.seen && <SecretNote id={memory.id} subject="This memory" />}
      <p class="memory-facts">
        <span class={`state state-${status}`}>{capital(status)}</span>
        <span class={`state level-${sensitivity}`}>{capital(sensitivity)}</span>
        {memory.flagged && <span class="state state-pending">Needs review</span>}
        <span>{shareWord(confidence)} confidence</span>
        <span>
          <bdi>{sourceWord(memory)}</bdi>{' '}
          {typeof source['timestamp'] === 'string' && <Time at={source['timestamp']} />}
        </span>
        {typeof metadata['useCount'] === 'number' && <span>used {metadata['useCount']} times here</span>}
        {labels.length > 0 && <bdi>{labels.join(', ')}</bdi>}
      </p>
      {past.length > 0 && (
        <details>
          <summary>Edited ({past.length})</summary>
          <ol class="past">
            {past.map(({ editedAt, previousContent, editedBy }) => (
              <li key={editedAt}>
                {previousContent === '' ? 'Gone with its proposal' : <bdi>{previousContent}</bdi>}{' '}
                <span class="faint">
                  until <Time at={editedAt} />, by {editedBy}
                </span>
              </li>
            ))}
          </ol>
        </details>
      )}
      <Acts memory={memory} />
    </li>
  )
}

function Acts({ memory }: { memory: Memory }) {
  const { id, status, content, flagged } = shownOf(memory)
  if (status === 'pending')
    return (
      <div class="row-acts">
        <RowAct word="Review" of={content} onAct={() => go({ view: 'approvals', id })} />
      </div>
    )
  const isArchived = status === 'archived'
  return (
    <div class="row-acts">
      {flagged && <RowAct word="Confirm" of={content} onAct={() => confirmMemory(memory)} />}
      <RowAct word="Edit" of={content} onAct={() => (editing.value = memory)} />
      {status === 'approved' && (
        <RowAct word="Find similar" of={content} onAct={() => (comparing.value = memory)} />
      )}
      <RowAct word="Reclassify" of={content} onAct={() => (classing.value = memory)} />
      <RowAct
        word={isArchived ? 'Restore' : 'Archive'}
        of={content}
        onAct={() => archiveMemory(memory, !isArchived)}
      />
      <RowAct word="Forget" of={content} onAct={() => (forgetting.value = memory)} />
    </div>
  )
}
