// The judged corpora with the embedder `meaning`, in a page of Chromium.
import { meaning } from '../../src/hosts/browser/meaning.ts'
import { openDaybook } from '../../src/index.ts'
import { meaningGoldenCases } from '../golden/meaning/meaning-golden.ts'
import { openWarm } from './warm/warm-worker.ts'

meaningGoldenCases(() =>
  openWarm(() =>
    openDaybook({
      name: `meaning-golden-${crypto.randomUUID()}`,
      agent: 'contract',
      timeZone: 'UTC',
      secrets: 'off',
      embedder: meaning({ questionDeadlineMs: 60_000 }),
    }),
  ),
)
