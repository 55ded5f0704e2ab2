// The embedder `meaning`: a table of vectors of word pieces. Its code and the table are loaded for the first text.
// Invariants: the table is read once, and again after a failure; a book without texts and questions never loads it.
import { checkAborted, createAbort, orAborted } from '../../core/abort.ts'
import { loadPart } from '../../core/load-part.ts'
import type { Clock, Embedder, Scheduler, Wasm } from '../../core/ports.ts'
import { defaultModelWeight, type MeaningOptions } from './embedder-options.ts'
import { packagedTable } from './meaning/packaged-table.ts'
import type { MeaningReader } from './meaning/meaning-reader.ts'
import type { TableHost, TableProgress } from './meaning/table-host.ts'

export interface MeaningEmbedderDeps {
  readonly clock: Clock
  readonly scheduler: Scheduler
  /** Absent: plain JavaScript does the work. */
  readonly wasm?: Wasm | undefined
  readonly host: TableHost
  /** Called when the progress of the load changes. */
  readonly onLoading?: (() => void) | undefined
}

const missingCode = {
  message: 'The code of the embedder `meaning` could not be loaded.',
  details: { part: 'meaning' },
}

export function createMeaningEmbedder(
  options: MeaningOptions,
  { clock, scheduler, wasm, host, onLoading = () => undefined }: MeaningEmbedderDeps,
): Embedder {
  const { model = packagedTable.name, minSimilarity, weight = defaultModelWeight } = options
  let reader: MeaningReader | undefined
  let readerPromise: Promise<MeaningReader> | undefined
  let progress: TableProgress | undefined
  const closing = createAbort()

  const onProgress = (now: TableProgress | undefined) => {
    progress = now
    onLoading()
  }
  const load = async (): Promise<MeaningReader> => {
    try {
      const part = await loadPart(() => import('./meaning/meaning-reader.ts'), missingCode, scheduler)
      reader = await part.openMeaningReader(
        { ...options, model },
        { clock, scheduler, wasm, host, onProgress, signal: closing.signal },
      )
      return reader
    } finally {
      readerPromise = undefined
      onProgress(undefined)
    }
  }

  return {
    provider: 'meaning',
    model,
    get dimensions() {
      return model === packagedTable.name ? packagedTable.dimensions : reader?.dimensions
    },
    batch: 400,
    minSimilarity,
    weight,
    get waiting() {
      return progress?.why
    },
    get loading() {
      return progress
    },
    isCentred: true,
    get isLoaded() {
      return reader !== undefined
    },
    agreement: (question, text) => reader?.agreement(question, text),
    isOwnLanguage: (question) => model !== packagedTable.name || reader?.isEnglish(question) !== false,
    knows: (question) => reader?.knows(question) ?? true,
    async embed(texts, _purpose, signal) {
      checkAborted(closing.signal)
      checkAborted(signal)
      const { embed } = reader ?? (await orAborted((readerPromise ??= load()), signal))
      return embed(texts, signal)
    },
    close() {
      closing.abort()
      reader = undefined
    },
  }
}
