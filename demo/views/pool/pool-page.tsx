// The frame of the views of the pool: their tabs, a heading, and what they show.
import type { ComponentChildren } from 'preact'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { loadPool, poolFailure } from '../../state/pool/pool.ts'
import { Tabs } from '../shell/tabs.tsx'

export function PoolPage({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <>
      <div class="page-tabs">
        <Tabs />
      </div>
      <div class="page-scroll">
        <div class="page consent pool">
          <h1>{title}</h1>
          {poolFailure.value !== undefined && (
            <ErrorNotice
              title="The pool could not be read."
              error={poolFailure.value}
              retry={() => void loadPool()}
            />
          )}
          {children}
        </div>
      </div>
    </>
  )
}
