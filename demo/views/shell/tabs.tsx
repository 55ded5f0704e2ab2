// The views of a place, side by side. They are places in the address, so they are links in sense and a nav in role.
import { address, go } from '../../state/address.ts'
import { placeOf, viewNames } from '../../kind/view.ts'

export function Tabs() {
  const { view } = address.value
  const { name, views } = placeOf(view)
  if (views.length < 2) return null
  return (
    <nav class="tabs" aria-label={name}>
      {views.map((one) => (
        <button
          key={one}
          type="button"
          class="tab"
          aria-current={one === view ? 'page' : undefined}
          onClick={() => go({ view: one, id: undefined })}
        >
          {viewNames[one]}
        </button>
      ))}
    </nav>
  )
}
