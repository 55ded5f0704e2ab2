// The open record as it is stored, to read and to copy. Drawn only when it is opened.
import { useSignal } from '@preact/signals'
import { ClampedText } from '../../parts/clamped-text.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'

export function RawJson({ record }: { record: object }) {
  const isOpen = useSignal(false)
  const text = () => JSON.stringify(record, null, 2)
  return (
    <section class="star raw" aria-label="Raw JSON">
      <h3>JSON</h3>
      <div class="star-body">
        <div class="raw-actions">
          <button
            type="button"
            class="button small"
            aria-expanded={isOpen.value}
            onClick={() => (isOpen.value = !isOpen.value)}
          >
            {isOpen.value ? 'Hide' : 'Show'} raw JSON
          </button>
          <CopyButton text={text} what="JSON" word />
        </div>
        {isOpen.value && <ClampedText text={text()} mono />}
      </div>
    </section>
  )
}
