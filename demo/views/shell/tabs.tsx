// The views of a place, side by side. They are places in the address, so they are links in sense and a nav in role.
import { useEffect, useRef } from 'preact/hooks'
import { address, go } from '../../state/address.ts'
import { placeOf, viewNames } from '../../kind/view.ts'

export function Tabs() {
  const { view } = address.value
  const { name, views } = placeOf(view)
  const nav = useRef<HTMLElement>(null)
  // On a narrow page the row of tabs scrolls: the one that is shown stays in sight.
  useEffect(() => {
    nav.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [view])
  if (views.length < 2) return null
  return (
    <nav ref={nav} class="tabs" aria-label={name}>
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
