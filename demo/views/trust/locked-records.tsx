// Sealed records that can't be read here: what can be told of them, and deleting one unread, which is asked about first.
import { useSignal } from '@preact/signals'
import { Dialog } from '../../parts/dialog.tsx'
import { ShortId } from '../../parts/short-id.tsx'
import { Time } from '../../parts/time.tsx'
import { kindNamed } from '../../kind/kind-table.ts'
import { forgetLocked, lockedRecords } from '../../state/trust/seal.ts'
import { countOf, sizeWord } from '../../wording/text-word.ts'

/** More are only counted. */
const shown = 20

type Locked = (typeof lockedRecords.value)[number]

export function LockedRecords() {
  const all = lockedRecords.value
  const asked = useSignal<Locked | undefined>(undefined)
  if (all.length === 0) return null
  const close = () => (asked.value = undefined)
  return (
    <>
      <h3>{countOf(all.length, 'locked record')}</h3>
      <ul class="plain-list">
        {all.slice(0, shown).map((record) => (
          <li key={record.id} class="card-row">
            <LockedLine record={record} />
            <button type="button" class="button small" onClick={() => (asked.value = record)}>
              Forget…
            </button>
          </li>
        ))}
      </ul>
      {all.length > shown && <p class="faint">And {countOf(all.length - shown, 'more', 'more')}.</p>}
      {asked.value && (
        <Dialog title="Forget this locked record?" onClose={close}>
          <p>
            <LockedLine record={asked.value} />
          </p>
          <p>It cannot be read here, and this cannot be undone. Unlock the keys first to see its content.</p>
          <div class="dialog-actions">
            <button type="button" class="button" onClick={close}>
              Cancel
            </button>
            <button
              type="button"
              class="button danger"
              onClick={() => {
                const { id } = asked.peek() ?? {}
                close()
                if (id !== undefined) void forgetLocked(id)
              }}
            >
              Forget record
            </button>
          </div>
        </Dialog>
      )}
    </>
  )
}

function LockedLine({ record: { id, kind, updated_at, sealed } }: { record: Locked }) {
  return (
    <span>
      {kindNamed(kind)?.one ?? kind} <ShortId id={id} />, {sizeWord(sealed.bytes)}, <Time at={updated_at} />
    </span>
  )
}
