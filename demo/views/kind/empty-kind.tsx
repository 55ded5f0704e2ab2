// The view of a kind of which there are no records: what would be there, how to make it by hand, and how an agent does.
import type { ComponentChildren } from 'preact'
import { CopyButton } from '../../parts/copy-button.tsx'
import { Icon } from '../../parts/icon.tsx'
import { isSampling, loadSample } from '../../state/act/sample.ts'

interface EmptyKindProps {
  readonly title: string
  /** What would be here. */
  readonly children: ComponentChildren
  /** How an agent makes one, as code that runs in the console of this page. */
  readonly code: string
  /** Making one by hand, where that makes sense. */
  readonly act?: ComponentChildren
}

export function EmptyKind({ title, children, code, act }: EmptyKindProps) {
  return (
    <section class="page empty-kind" aria-labelledby="empty-kind-title">
      <h1 id="empty-kind-title">{title}</h1>
      <div class="empty-text">{children}</div>
      <div class="card-row">
        {act}
        <button type="button" class="button" disabled={isSampling.value} onClick={() => void loadSample()}>
          <Icon name="play" size={14} />
          {isSampling.value ? 'Running…' : 'Run the guided sample'}
        </button>
      </div>
      <div class="example">
        <p class="example-head">
          <span class="faint">Try it in this page's console</span>
          <span class="spacer" />
          <CopyButton text={code} what="example" />
        </p>
        <pre tabIndex={0} aria-label="Example">
          {code}
        </pre>
      </div>
    </section>
  )
}
