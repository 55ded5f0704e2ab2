// Sealed records that can't be read here: what can be told of them, and forgetting them unread.
import { ShortId } from '../../parts/short-id.tsx'
import { Time } from '../../parts/time.tsx'
import { forgetLocked, lockedRecords } from '../../state/trust/seal.ts'
import { countOf, sizeWord } from '../../wording/size-word.ts'

/** More are only counted. */
const shown = 20

export function LockedRecords() {
  const all = lockedRecords.value
  if (all.length === 0) return null
  return (
    <>
      <h3>{countOf(all.length, 'locked record')}</h3>
      <ul class="plain-list">
        {all.slice(0, shown).map(({ id, kind, updated_at, sealed }) => (
          <li key={id} class="card-row">
            <span>
              {kind} <ShortId id={id} />, {sizeWord(sealed.bytes)}, <Time at={updated_at} />
            </span>
            <button type="button" class="button small" onClick={() => void forgetLocked(id)}>
              Forget
            </button>
          </li>
        ))}
      </ul>
      {all.length > shown && <p class="faint">And {countOf(all.length - shown, 'more', 'more')}.</p>}
    </>
  )
}
