// Gives a memory another type or category, with the reason, which is kept with it.
import { useSignal } from '@preact/signals'
import { Dialog } from '../../parts/dialog.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import type { Memory } from '../../state/consent/memories.ts'
import { classing, reclassify, suggestType } from '../../state/consent/memory-life.ts'
import { CategoryField, TypeField } from './memory-field.tsx'

export function ClassDialog({ memory }: { memory: Memory }) {
  const type = useSignal(memory.memory_type)
  const category = useSignal(memory.category)
  const reason = useSignal('')
  const suggested = useSignal('')
  const isAsking = useSignal(false)
  const failure = useSignal<unknown>(undefined)
  const close = () => (classing.value = undefined)
  const isSame = type.value === memory.memory_type && category.value === memory.category
  const suggest = async () => {
    isAsking.value = true
    try {
      const told = await suggestType(memory)
      type.value = told.memory_type
      suggested.value = told.reason
      if (reason.value === '') reason.value = told.reason
      failure.value = undefined
    } catch (error) {
      failure.value = error
    } finally {
      isAsking.value = false
    }
  }
  const save = async () => {
    failure.value = await reclassify(memory, {
      memory_type: type.value,
      category: category.value,
      reason: reason.value.trim(),
    })
  }
  return (
    <Dialog title="Change type and category" onClose={close}>
      <form
        class="fields-form"
        onSubmit={(event) => {
          event.preventDefault()
          void save()
        }}
      >
        <blockquote class="quoted" dir="auto">
          {memory.content}
        </blockquote>
        <div class="field-row">
          <TypeField value={type.value} onChange={(value) => (type.value = value)} />
          <CategoryField value={category.value} onChange={(value) => (category.value = value)} />
        </div>
        <p>
          <button type="button" class="button small" disabled={isAsking.value} onClick={() => void suggest()}>
            Suggest a type
          </button>{' '}
          <span role="status">{suggested.value}</span>
        </p>
        <label class="labelled">
          Reason (kept in history)
          <input
            class="input"
            required
            maxLength={1000}
            value={reason.value}
            onInput={({ currentTarget }) => (reason.value = currentTarget.value)}
          />
        </label>
        {failure.value !== undefined && (
          <ErrorNotice title="Type and category were not changed." error={failure.value} />
        )}
        <div class="dialog-actions">
          <button type="button" class="button" onClick={close}>
            Cancel
          </button>
          <button type="submit" class="button primary" disabled={isSame}>
            Change
          </button>
        </div>
      </form>
    </Dialog>
  )
}
