// A book whose texts an embedder of a few meanings reads, for the tests of vectors.
import { afterEach } from 'vitest'
import type { EmbedStatus } from '../../../src/core/capability/status.ts'
import type { RecallResult } from '../../../src/core/capability/port/recall-port.ts'
import type { SqlDatabase } from '../../../src/core/ports.ts'
import { openNodeDatabase } from '../../../src/hosts/node/book/node-database.ts'
import type { MeaningEmbedder } from '../../support/meaning-embedder.ts'
import { makeTrace } from '../../support/trace.ts'
import { openTestEngine, type TestEngine } from '../../support/test-engine.ts'

export const goals = [
  'fix the automobile',
  'ask a physician',
  'count the salary',
  'wait for the storm to end',
]
export const plain = (id: string, goal: string) => ({
  ...makeTrace({ id, task: { goal } }),
  situation: { domain: 'd', context: {} },
  action: { type: 'note' },
  result: { success: true, outcome: {} },
})

const opened: TestEngine[] = []
afterEach(() => opened.splice(0).forEach(({ engine }) => engine.close()))

/** A database that outlives its engine. */
export function keptDatabase(): SqlDatabase {
  return { ...openNodeDatabase({ path: ':memory:' }), close: () => undefined }
}

/** A book with that embedder, closed after the test. */
export function open(
  embedder: MeaningEmbedder | undefined,
  db: SqlDatabase = keptDatabase(),
  questionDeadlineMs?: number,
) {
  const test = openTestEngine({ db, embedder: embedder && { open: () => embedder, questionDeadlineMs } })
  opened.push(test)
  const { engine } = test
  return {
    ...test,
    db,
    store: (list: readonly string[] = goals) =>
      engine.call('kstar:store_traces', {
        traces: list.map((goal, i) => ({ ...plain(`t-${i}`, goal), replace: true })),
      }),
    recall: (text: string, more: object = {}) =>
      engine.call('daybook:recall', { text, ...more }) as Promise<RecallResult>,
    status: () => engine.call('embed:status', {}) as Promise<EmbedStatus>,
    vectors: () =>
      db.all<{ seq: number; fingerprint: string }>(
        'SELECT v.seq, s.fingerprint FROM vectors v JOIN vector_spaces s ON s.id = v.space ORDER BY v.seq',
      ),
  }
}
export const ids = ({ hits }: RecallResult) => hits.map(({ record }) => record.id)
