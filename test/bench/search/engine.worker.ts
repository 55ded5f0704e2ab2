// The worker of the peer that is Daybook's engine without the page: the same storage, engine and ports as a book's
// worker.
import { expose } from 'comlink'
import { createEngine, type Engine } from '../../../src/engine/engine.ts'
import { browserPorts } from '../../../src/hosts/browser/port/browser-ports.ts'
import { openBookStorage } from '../../../src/hosts/browser/storage/book-storage.ts'
import { normalise } from '../../../src/store/vector/quantise.ts'
import { tokenize } from '../../../src/store/word/tokenize.ts'
import { fingerprintOf } from '../../../src/store/vector/vector-space.ts'
import { hitLimit, type Reopened, timeEach } from '../peer.ts'

const batchSize = 1000
const stepRecords = 500
const space = fingerprintOf({ provider: 'bench', model: 'random', dimensions: 384 })

let opened: Engine | undefined

function use(): Engine {
  if (!opened) throw new Error('The book is not open')
  return opened
}

async function open(): Promise<void> {
  const { db, durability } = await openBookStorage({ name: 'bench', onUnavailable: 'reject' })
  opened = createEngine({ db, ports: browserPorts, name: 'bench', scope: { agent: 'bench' }, durability })
}

const recall = async (text: string) => {
  const answer = await use().call('daybook:recall', { text, limit: hitLimit })
  return (answer as { readonly hits: readonly unknown[] }).hits.length
}
const rank = (question: string) =>
  use().store.textIndex?.search([...new Set(tokenize(question))], hitLimit)?.length ?? 0

async function timed(work: () => unknown): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}

/** Does at once what idle moments would do. */
function settle(): void {
  const { projection, textIndex } = use().store
  while (projection.step(stepRecords));
  while (textIndex?.step(stepRecords));
}

const worker = {
  open,
  async add(texts: readonly string[]) {
    for (let from = 0; from < texts.length; from += batchSize) {
      const traces = texts.slice(from, from + batchSize).map((goal) => ({
        situation: { domain: 'bench' },
        task: { goal },
        action: { type: 'note' },
      }))
      await use().call('kstar:store_traces', { traces })
    }
    use().store.projection.catchUp()
  },
  settle() {
    settle()
    // Vectors as an embedder would have left them, so that reading them back can be timed.
    const { vectors } = use().store
    vectors.setSpace(space)
    while (vectors.readNext(stepRecords));
    for (
      let texts = vectors.pendingTexts(batchSize);
      texts.length > 0;
      texts = vectors.pendingTexts(batchSize)
    )
      vectors.storeVectors(texts.map(({ seq, textKey }) => ({ seq, textKey, vector: makeVector(seq) })))
  },
  recall: (questions: readonly string[]) => timeEach(questions, recall),
  text: (questions: readonly string[]) => timeEach(questions, rank),
  async reopen(questions: readonly string[]): Promise<Reopened> {
    const openMs = await timed(open)
    const [first = '', ...others] = questions
    const firstMs = await timed(() => recall(first))
    const next = await timeEach(others, recall)
    const { vectors } = use().store
    const vectorsMs = await timed(() => {
      vectors.setSpace(space)
      while (vectors.readNext(stepRecords));
    })
    return { openMs, firstMs, nextMs: next[0]?.ms ?? Number.NaN, vectorsMs }
  },
  sizeBytes: () => use().store.db.sizeBytes(),
  /** Bytes of memory that the postings take. */
  postingBytes: () => use().store.textIndex?.state().bytes ?? 0,
}
export type EngineWorker = typeof worker

function makeVector(seed: number): Float32Array {
  let state = (seed * 2_654_435_761) >>> 0
  const numbers = Float32Array.from({ length: 384 }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 31 - 1
  })
  return normalise(numbers) ?? numbers
}

expose(worker)
