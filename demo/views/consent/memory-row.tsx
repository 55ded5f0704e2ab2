// One memory: its text, what is said of it, what it said before, and what can be done about it.
import { Time } from '../../parts/time.tsx'
import { go } from '../../state/address.ts'
import { archiveMemory, editing, forgetting, type Memory } from '../../state/consent/memories.ts'
import { classing, comparing, confirmMemory } from '../../state/consent/memory-life.ts'
import { shareWord, capital } from '../../wording/text-word.ts'

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

export function MemoryRow({ memory }: { memory: Memory }) {
  const { content, status, confidence, sensitivity, source, scope = [], tags = [], metadata } = memory
  const past = Array.isArray(metadata['editHistory']) ? (metadata['editHistory'] as PastText[]) : []
  const labels = [...scope, ...tags]
  return (
    <li class="memory-row">
      <p class="memory-text" dir="auto">
        {content}
      </p>
      <p class="memory-said">
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
  const { status, content } = memory
  const of = <span class="hidden"> “{content.slice(0, 40)}”</span>
  if (status === 'pending')
    return (
      <div class="row-acts">
        <button type="button" class="button small" onClick={() => go({ view: 'approvals', id: memory.id })}>
          Review{of}
        </button>
      </div>
    )
  return (
    <div class="row-acts">
      {memory.flagged && (
        <button type="button" class="button small" onClick={() => void confirmMemory(memory)}>
          Confirm{of}
        </button>
      )}
      <button type="button" class="button small" onClick={() => (editing.value = memory)}>
        Edit{of}
      </button>
      {status === 'approved' && (
        <button type="button" class="button small" onClick={() => (comparing.value = memory)}>
          Find similar{of}
        </button>
      )}
      <button type="button" class="button small" onClick={() => (classing.value = memory)}>
        Reclassify{of}
      </button>
      <button
        type="button"
        class="button small"
        onClick={() => void archiveMemory(memory, status !== 'archived')}
      >
        {status === 'archived' ? 'Restore' : 'Archive'}
        {of}
      </button>
      <button type="button" class="button small" onClick={() => (forgetting.value = memory)}>
        Forget{of}
      </button>
    </div>
  )
}
