// What can be done with the picked records of a list, while there are any.
import type { RecordKind } from '../../kind/record-kind.ts'
import { focusList } from '../../state/act/focus.ts'
import { clearPicked, forgetPicked, isForgetAsked, picked, savePicked } from '../../state/act/pick.ts'
import { countOf } from '../../wording/text-word.ts'

export function PickBar({ kind }: { kind: RecordKind }) {
  const count = picked.value.size
  if (count === 0) return null
  const many = countOf(count, kind.one, kind.many)
  const done = (act: () => void) => () => {
    act()
    focusList()
  }
  return (
    <div class="pick-bar" role="group" aria-label={`Picked ${kind.many}`}>
      {isForgetAsked.value ? (
        <>
          <span role="status">Forget {many} now? This cannot be undone.</span>
          <button type="button" class="button small danger" onClick={done(forgetPicked)}>
            Forget {many}
          </button>
          <button type="button" class="button small" onClick={() => (isForgetAsked.value = false)}>
            Keep
          </button>
        </>
      ) : (
        <>
          <span role="status">{many} picked</span>
          <button type="button" class="button small" onClick={() => void savePicked()}>
            Save as JSON
          </button>
          <button type="button" class="button small" onClick={() => (isForgetAsked.value = true)}>
            Forget…
          </button>
          <button type="button" class="link" onClick={done(clearPicked)}>
            Clear
          </button>
        </>
      )}
    </div>
  )
}
