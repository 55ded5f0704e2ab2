// The view of memories: by type, then by category, with what is said of each and what can be done about it.
import { EmptyNote } from '../../parts/empty-note.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { Icon } from '../../parts/icon.tsx'
import { memoryStates, memoryTypes } from '../../kind/view-field.ts'
import { chipOf, narrow } from '../../state/address.ts'
import { status } from '../../state/status.ts'
import {
  editing,
  forgetMemory,
  forgetting,
  freshCount,
  listed,
  loadMemories,
  loadMore,
  memoriesFailure,
  type Memory,
} from '../../state/consent/memories.ts'
import { classing, comparing, maintain, upkeep } from '../../state/consent/memory-life.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { FilterChoice } from '../../parts/field/filter-choice.tsx'
import { FilterInput } from '../../parts/field/filter-input.tsx'
import { scopeWord } from '../../wording/policy-word.ts'
import { countOf, shareWord, capital, oneLine } from '../../wording/text-word.ts'
import { ClassDialog } from './class-dialog.tsx'
import { ConsentPage } from './consent-page.tsx'
import { MemoryDialog } from './memory-dialog.tsx'
import { MemoryRow } from './memory-row.tsx'
import { SimilarDialog } from './similar-dialog.tsx'

export function MemoryView() {
  const found = listed.value
  return (
    <ConsentPage title="Memories">
      <Filters />
      {memoriesFailure.value !== undefined && (
        <ErrorNotice
          title="The memories could not be read."
          error={memoriesFailure.value}
          retry={() => void loadMemories()}
        />
      )}
      {freshCount.value > 0 && (
        <p>
          <button type="button" class="button" onClick={() => void loadMemories()}>
            Show {freshCount.value} new
          </button>
        </p>
      )}
      {found && found.sealed > 0 && (
        <p class="notice" role="note">
          {countOf(found.sealed, 'memory', 'memories')} locked: unlock the keys of this book in Storage.
        </p>
      )}
      {found && found.memories.length === 0 && <Nothing />}
      {found && <Types memories={found.memories} />}
      {found?.cursor !== undefined && (
        <p>
          <button type="button" class="button" onClick={() => void loadMore()}>
            Show older memories
          </button>
        </p>
      )}
      {editing.value && <MemoryDialog memory={editing.value === 'new' ? undefined : editing.value} />}
      {forgetting.value && <ForgetQuestion memory={forgetting.value} />}
      {comparing.value && <SimilarDialog key={comparing.value.id} memory={comparing.value} />}
      {classing.value && <ClassDialog key={classing.value.id} memory={classing.value} />}
    </ConsentPage>
  )
}

function Filters() {
  return (
    <div class="field-row" role="search" aria-label="Filter memories">
      <FilterChoice
        label="Status"
        words={memoryStates}
        value={chipOf('status') ?? 'approved'}
        onChoose={(status) => narrow({ status: status === 'approved' ? '' : status })}
      />
      <FilterChoice
        label="Type"
        all="All types"
        words={memoryTypes}
        value={chipOf('type')}
        onChoose={(type) => narrow({ type })}
      />
      <label class="labelled">
        Category, and all below it
        <FilterInput
          placeholder="a2p:preferences"
          value={chipOf('category')}
          onDone={(category) => narrow({ category })}
        />
      </label>
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
      title="Promotes what was often of use, flags what nobody confirmed, archives what has faded. Comes round every day."
      onClick={() => void maintain()}
    >
      {now ? `Looking after them…${share}` : 'Run maintenance'}
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
  const close = () => (forgetting.value = undefined)
  return (
    <Dialog title="Forget this memory?" onClose={close}>
      <blockquote class="quoted" dir="auto">
        {oneLine(memory.content, 200)}
      </blockquote>
      <ul class="plain-list">
        <li>Its content, its earlier versions and its index entries are removed. This cannot be undone.</li>
        <li>Memories merged from it are forgotten too.</li>
        {status.value?.sync.configured && <li>At the next sync your other devices forget it too.</li>}
      </ul>
      <div class="dialog-actions">
        <button type="button" class="button" onClick={close}>
          Cancel
        </button>
        <button type="button" class="button danger" onClick={() => void forgetMemory(memory)}>
          Forget memory
        </button>
      </div>
    </Dialog>
  )
}
