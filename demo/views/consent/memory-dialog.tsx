// Adds a memory by hand, or changes one. What it said before stays with it.
import { useSignal } from '@preact/signals'
import { Dialog } from '../../parts/dialog.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { editing, type Memory, saveMemory } from '../../state/consent/memories.ts'
import { CategoryField, SensitivityField, TypeField } from './memory-field.tsx'

export function MemoryDialog({ memory }: { memory: Memory | undefined }) {
  const content = useSignal(memory?.content ?? '')
  const category = useSignal(memory?.category ?? 'a2p:preferences')
  const type = useSignal(memory?.memory_type ?? 'semantic')
  const level = useSignal(memory?.sensitivity ?? '')
  const failure = useSignal<unknown>(undefined)
  const close = () => (editing.value = undefined)
  const save = async () => {
    const sensitivity = level.value as 'standard'
    if (!memory) {
      const own = sensitivity === ('' as string) ? {} : { sensitivity }
      const store = { content: content.value, category: category.value, memory_type: type.value, ...own }
      failure.value = await saveMemory({ store })
      return
    }
    const isSame = content.value === memory.content && level.value === memory.sensitivity
    if (isSame) close()
    else
      failure.value = await saveMemory({
        edit: {
          id: memory.id,
          ...(content.value === memory.content ? {} : { content: content.value }),
          ...(level.value === memory.sensitivity ? {} : { sensitivity }),
        },
      })
  }
  return (
    <Dialog title={memory ? 'Edit memory' : 'Add a memory'} onClose={close}>
      <form
        class="fields-form"
        onSubmit={(event) => {
          event.preventDefault()
          void save()
        }}
      >
        <label class="labelled">
          What to remember
          <textarea
            class="input"
            rows={3}
            required
            dir="auto"
            value={content.value}
            onInput={({ currentTarget }) => (content.value = currentTarget.value)}
          />
        </label>
        {!memory && (
          <div class="field-row">
            <CategoryField value={category.value} onChange={(value) => (category.value = value)} />
            <TypeField value={type.value} onChange={(value) => (type.value = value)} />
          </div>
        )}
        <SensitivityField value={level.value} usual={!memory} onChange={(value) => (level.value = value)} />
        {failure.value !== undefined && (
          <ErrorNotice title="The memory was not saved." error={failure.value} />
        )}
        <div class="dialog-actions">
          <button type="button" class="button" onClick={close}>
            Cancel
          </button>
          <button type="submit" class="button primary">
            {memory ? 'Save' : 'Add memory'}
          </button>
        </div>
      </form>
    </Dialog>
  )
}
