// The frame of a view that is one page: tabs of its place, a heading, its content. Lists with a detail pane have `Tabs` alone.
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { placeOf, viewNames } from '../../kind/view.ts'
import { address, go } from '../../state/address.ts'

interface PageProps {
  readonly title: string
  /** Classes of the page beside its own. */
  readonly look?: string
  /** Beside the heading. */
  readonly tools?: ComponentChildren
  readonly children: ComponentChildren
}

export function Page({ title, look = '', tools, children }: PageProps) {
  return (
    <>
      <div class="page-tabs">
        <Tabs />
      </div>
      <div class="page-scroll">
        <div class={`page ${look}`}>
          {tools === undefined ? (
            <h1>{title}</h1>
          ) : (
            <div class="section-head">
              <h1>{title}</h1>
              {tools}
            </div>
          )}
          {children}
        </div>
      </div>
    </>
  )
}

/** The views of a place. A tab is a place in the address, so it has the role of navigation. */
export function Tabs() {
  const { view } = address.value
  const { name, views } = placeOf(view)
  const nav = useRef<HTMLElement>(null)
  // On a narrow page the row of tabs scrolls; the current one stays in sight.
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
