import { expect } from 'vitest'
import { openDaybook } from '../../../src/index.ts'
import { daybookContract } from '../../contract/daybook.ts'
// Before what takes OPFS away: its workers are made by this.
import { firstOpen } from '../warm/warm-worker.ts'
import { alterJournal } from './journal-file.ts'
import { takeAway } from './take-away.ts'

const run = crypto.randomUUID().slice(0, 8)
takeAway('opfs')

daybookContract('a page, Chromium, IndexedDB', {
  part: 'storage',
  degraded: [expect.stringMatching(/SecurityError.*IndexedDB/)],
  open: firstOpen((name, options) => openDaybook({ ...options, name: `${name}-${run}`, agent: 'contract' })),
  alter: (name, statements) => alterJournal(`${name}-${run}`, statements),
})
