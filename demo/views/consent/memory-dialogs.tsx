// Dialogs of memories: add or edit one, change its type and category, merge it with similar ones.
import { Check, TextArea, TextField } from '../../parts/field/form-field.tsx'
import { useSignal } from '@preact/signals'
import { Dialog, FormDialog } from '../../parts/dialog.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import {
  classing,
  comparing,
  consolidate,
  editing,
  findSimilar,
  type Memory,
  reclassify,
  saveMemory,
  type Similar,
  suggestType,
} from '../../state/consent/memories.ts'
import { CategoryField, SensitivityField, TypeField } from './memory-field.tsx'
import { useAnswer, useSubmit } from '../../parts/hook.ts'
import { shownOf } from '../../state/record/secret.ts'
import { countOf, shareWord } from '../../wording/text-word.ts'

export function MemoryDialog({ memory }: { memory: Memory | undefined }) {
  const content = useSignal(memory?.content ?? '')
  const category = useSignal(memory?.category ?? 'a2p:preferences')
  const type = useSignal(memory?.memory_type ?? 'semantic')
  const level = useSignal(memory?.sensitivity ?? '')
  const close = () => (editing.value = undefined)
  const { failure, submit } = useSubmit(async () => {
    const sensitivity = level.value as 'standard'
    if (!memory) {
      const own = sensitivity === ('' as string) ? {} : { sensitivity }
      await saveMemory({
        store: { content: content.value, category: category.value, memory_type: type.value, ...own },
      })
    } else if (content.value === memory.content && level.value === memory.sensitivity) close()
    else
      await saveMemory({
        edit: {
          id: memory.id,
          ...(content.value === memory.content ? {} : { content: content.value }),
          ...(level.value === memory.sensitivity ? {} : { sensitivity }),
        },
      })
  })
  return (
    <FormDialog
      title={memory ? 'Edit memory' : 'Add a memory'}
      onClose={close}
      act={memory ? 'Save' : 'Add memory'}
      onAct={submit}
      failed="The memory was not saved."
      failure={failure}
    >
      <TextArea label="What to remember" of={content} rows={3} required dir="auto" />
      {!memory && (
        <div class="field-row">
          <CategoryField value={category.value} onChange={(value) => (category.value = value)} />
          <TypeField value={type.value} onChange={(value) => (type.value = value)} />
        </div>
      )}
      <SensitivityField value={level.value} usual={!memory} onChange={(value) => (level.value = value)} />
    </FormDialog>
  )
}

export function ClassDialog({ memory }: { memory: Memory }) {
  const type = useSignal(memory.memory_type)
  const category = useSignal(memory.category)
  const reason = useSignal('')
  const suggested = useSignal('')
  const suggestion = useSubmit(async () => {
    const { memory_type, reason: why } = await suggestType(memory)
    type.value = memory_type
    suggested.value = why
    if (reason.value === '') reason.value = why
  })
  const { failure, submit } = useSubmit(() =>
    reclassify(memory, {
      memory_type: type.value,
      category: category.value,
      reason: reason.value.trim(),
    }),
  )
  return (
    <FormDialog
      title="Change type and category"
      onClose={() => (classing.value = undefined)}
      act="Change"
      onAct={submit}
      isReady={type.value !== memory.memory_type || category.value !== memory.category}
      failed="Type and category were not changed."
      failure={failure ?? suggestion.failure}
    >
      <blockquote class="quoted" dir="auto">
        {shownOf(memory).content}
      </blockquote>
      <div class="field-row">
        <TypeField value={type.value} onChange={(value) => (type.value = value)} />
        <CategoryField value={category.value} onChange={(value) => (category.value = value)} />
      </div>
      <p>
        <button
          type="button"
          class="button small"
          disabled={suggestion.isBusy}
          onClick={() => void suggestion.submit()}
        >
          Suggest a type
        </button>{' '}
        <span role="status">{suggested.value}</span>
      </p>
      <TextField label="Reason (kept in history)" of={reason} required maxLength={1000} />
    </FormDialog>
  )
}

export function SimilarDialog({ memory }: { memory: Memory }) {
  const { value, error } = useAnswer(() => findSimilar(memory), [memory.id])
  const close = () => (comparing.value = undefined)
  if (value && value.similar.length > 0)
    return <MergeDialog memory={memory} similar={value.similar} sealed={value.sealed} onClose={close} />
  return (
    <Dialog title="Similar memories" onClose={close} wide>
      <blockquote class="quoted" dir="auto">
        {shownOf(memory).content}
      </blockquote>
      <ErrorNotice title="The memories could not be compared." error={error} />
      {value === undefined && error === undefined && <p aria-busy="true">Comparing…</p>}
      <NotCompared count={value?.sealed} />
      {value && <p>No similar memories.</p>}
      <div class="dialog-actions">
        <button type="button" class="button" onClick={close}>
          Close
        </button>
      </div>
    </Dialog>
  )
}

function NotCompared({ count }: { count: number | undefined }) {
  if (count === undefined) return null
  return (
    <p class="notice" role="note">
      {countOf(count, 'locked memory', 'locked memories')} could not be compared.
    </p>
  )
}

interface MergeProps {
  readonly memory: Memory
  readonly similar: readonly Similar[]
  readonly sealed: number | undefined
  readonly onClose: () => void
}

/** Merges a memory with the chosen similar ones. */
function MergeDialog({ memory, similar, sealed, onClose }: MergeProps) {
  const fits = (one: Memory) => one.memory_type === memory.memory_type && one.status === 'approved'
  const chosen = useSignal<readonly string[]>(
    similar.flatMap(({ memory: one }) => (fits(one) ? [one.id] : [])),
  )
  const written = useSignal<string | undefined>(undefined)
  const together = [memory, ...similar.map((one) => one.memory)].filter(
    ({ id }) => id === memory.id || chosen.value.includes(id),
  )
  const content = written.value ?? [...new Set(together.map((one) => one.content.trim()))].join('\n')
  const { failure, isBusy, submit } = useSubmit(() =>
    consolidate(
      together.map(({ id }) => id),
      content,
    ),
  )
  return (
    <FormDialog
      title="Similar memories"
      wide
      onClose={onClose}
      act={isBusy ? 'Merging…' : `Merge ${together.length}`}
      onAct={submit}
      isReady={together.length > 1 && !isBusy}
      failed="The memories could not be merged."
      failure={failure}
    >
      <blockquote class="quoted" dir="auto">
        {shownOf(memory).content}
      </blockquote>
      <NotCompared count={sealed} />
      <fieldset class="similar-list">
        <legend>Merge with these</legend>
        {similar.map(({ memory: one, likeness, by }) => (
          <Check
            key={one.id}
            value={chosen.value.includes(one.id)}
            disabled={!fits(one)}
            onValue={(isOn) => {
              const others = chosen.value.filter((id) => id !== one.id)
              chosen.value = isOn ? [...others, one.id] : others
            }}
          >
            <span>
              <bdi>{shownOf(one).content}</bdi>{' '}
              <span class="faint">
                {shareWord(likeness)} alike by {by}
                {!fits(one) && `, ${one.memory_type}: only memories of the same type can be merged`}
              </span>
            </span>
          </Check>
        ))}
      </fieldset>
      <TextArea
        label="Merged text"
        value={content}
        onValue={(text) => (written.value = text)}
        rows={4}
        required
        dir="auto"
      />
    </FormDialog>
  )
}
