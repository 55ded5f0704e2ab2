import { openDaybook } from '../../src/index.ts'
import { daybookContract } from '../contract/daybook.ts'
import { alterBook } from './storage/book-file.ts'
import { firstOpen } from './warm/warm-worker.ts'

const run = crypto.randomUUID().slice(0, 8)

daybookContract('a page, Chromium, OPFS', {
  open: firstOpen((name, options) => openDaybook({ ...options, name: `${name}-${run}`, agent: 'contract' })),
  alter: (name, statements) => alterBook(`${name}-${run}`, statements),
})
