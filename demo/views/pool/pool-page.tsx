// The frame of the views of the pool.
import { Page } from '../shell/page.tsx'
import type { ComponentChildren } from 'preact'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { loadPool, poolFailure } from '../../state/pool/pool.ts'

export function PoolPage({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <Page look="consent pool" title={title}>
      <ErrorNotice title="The pool could not be read." error={poolFailure.value} retry={loadPool} />
      {children}
    </Page>
  )
}
