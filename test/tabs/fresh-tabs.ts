// A browser of its own for each test of a file, and what its tabs were told is kept.
import { afterEach, beforeEach } from 'vitest'
import { openTabs, type Tab, type Tabs } from './open-tabs.ts'

/** To be called once, at the top of the file. */
export function useFreshTabs(): { open(): Promise<Tab>; readonly acked: ReadonlySet<string> } {
  const acked = new Set<string>()
  let tabs: Tabs
  beforeEach(async () => {
    acked.clear()
    tabs = await openTabs({ onAck: (key) => acked.add(key) })
  })
  afterEach(() => tabs[Symbol.asyncDispose]())
  return { open: () => tabs.open(), acked }
}
