// The frame of the views of consent: their tabs, a heading, and what they show.
import type { ComponentChildren } from 'preact'
import { Tabs } from '../shell/tabs.tsx'

export function ConsentPage({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <>
      <div class="page-tabs">
        <Tabs />
      </div>
      <div class="page-scroll">
        <div class="page consent">
          <h1>{title}</h1>
          {children}
        </div>
      </div>
    </>
  )
}
