// A file that was synced under another name is not synced, and says so without looking busy.
import { expect, it } from 'vitest'
import { neverAborted } from '../../../src/core/abort.ts'
import type { SyncState } from '../../../src/core/capability/status.ts'
import { mirrorNameKey, SyncSession } from '../../../src/sync/device/session.ts'
import { failure } from '../../contract/book-case.ts'
import { createVirtualTime } from '../../support/virtual-time.ts'
import { makeKind, openTestStore } from '../../support/test-store.ts'

it('refuses a file of another book, and is idle again', async () => {
  const store = openTestStore([makeKind()])
  store.db.transaction(() => store.settings.set(mirrorNameKey, 'one'))
  const states: SyncState[] = []
  const { clock } = createVirtualTime()
  const session = new SyncSession({
    name: 'other',
    store,
    carrier: { exchange: () => Promise.reject(new Error('Nothing is sent.')) },
    clock,
    onChange: () => undefined,
    onState: (state) => void states.push(state),
  })
  for (let attempt = 0; attempt < 2; attempt++) {
    const refused = failure(session.sync(neverAborted))
    store.turn()
    expect(await refused).toMatchObject({
      code: 'conflict',
      details: { reason: 'other-book', synced: 'one' },
    })
    expect(session.isRunning()).toBe(false)
    expect(session.state()).toMatchObject({ phase: 'idle', running: false })
    expect(states.at(-1)).toMatchObject({ running: false, lastError: { code: 'conflict' } })
  }
})
