// The judged corpora with the embedder `meaning`, in Node.
import { openDaybook } from '../../../src/hosts/node/index.ts'
import { meaningGoldenCases } from '../../golden/meaning/meaning-golden.ts'

let serial = 0

meaningGoldenCases(() =>
  openDaybook({
    name: `meaning-golden-${++serial}`,
    agent: 'contract',
    path: ':memory:',
    timeZone: 'UTC',
    secrets: 'off',
    embedder: { provider: 'meaning', questionDeadlineMs: 60_000 },
  }),
)
