// Reads the table of the embedder `meaning`, and embeds texts by it.
// Invariant: a call works in short slices, so that others of this thread are answered between them.
import { type AbortSignalLike, checkAborted } from '../../../core/abort.ts'
import { DaybookError } from '../../../core/errors.ts'
import type { Clock, Scheduler, Wasm } from '../../../core/ports.ts'
import { isOtherLanguage } from '../../light-word.ts'
import { createMeaningModel, type MeaningModel } from './meaning-model.ts'
import { type MeaningTable, readMeaningTable } from './meaning-table.ts'
import { type TableChoice, sharedModel, shareModel } from './shared-model.ts'
import type { TableHost, TableProgress } from './table-host.ts'

export interface MeaningReader {
  readonly dimensions: number
  /** By text: its vector. Of length 1, or all zeros if the table knows too little of the text. */
  embed(texts: readonly string[], signal: AbortSignalLike): Promise<Float32Array[]>
  /** See `WordAgreement`. */
  agreement(question: string, text: string): number
  knows(question: string): boolean
  /** False for a text that looks like another language of Europe. */
  isEnglish(text: string): boolean
}

export interface MeaningReaderDeps {
  readonly clock: Clock
  readonly scheduler: Scheduler
  readonly wasm?: Wasm | undefined
  readonly host: TableHost
  readonly onProgress: (progress: TableProgress) => void
  /** Ends the read. */
  readonly signal: AbortSignalLike
}

const sliceMs = 20

/** Rejects with `embedder-failed`; with a right file the next call succeeds. */
export async function openMeaningReader(
  choice: TableChoice,
  deps: MeaningReaderDeps,
): Promise<MeaningReader> {
  const { clock, scheduler, host } = deps
  const model = sharedModel(host, choice) ?? (await loadModel(choice, deps))
  return {
    dimensions: model.dimensions,
    agreement: (question, text) => model.agreement(question, text),
    knows: (question) => model.knows(question),
    isEnglish: (text) => !isOtherLanguage(text),
    async embed(texts, signal) {
      const vectors: Float32Array[] = []
      let startedMs = clock.now()
      for (const text of texts) {
        if (clock.now() - startedMs >= sliceMs) {
          await new Promise<void>((resolve) => scheduler.soon(resolve))
          checkAborted(signal)
          startedMs = clock.now()
        }
        vectors.push(model.embed(text))
      }
      return vectors
    },
  }
}

async function loadModel(
  choice: TableChoice,
  { wasm, host, onProgress, signal }: MeaningReaderDeps,
): Promise<MeaningModel> {
  const { url, path, model } = choice
  let checked: { readonly bytes: Uint8Array; readonly table: MeaningTable } | undefined
  /** Reads the bytes of a host once, also if it has checked them before. */
  const tableOf = (bytes: Uint8Array): MeaningTable => {
    if (checked?.bytes !== bytes) checked = { bytes, table: tableNamed(model, bytes, remedyFor(url ?? path)) }
    return checked.table
  }
  const bytes = await host.readTable({ url, path, check: tableOf, onProgress, signal })
  // Another book may have loaded it meanwhile.
  return sharedModel(host, choice) ?? shareModel(host, choice, createMeaningModel(tableOf(bytes), wasm))
}

/** `place`: the address or the path of the table; undefined: the file of the package. */
const remedyFor = (place: string | undefined) =>
  place === undefined
    ? 'Install the package again.'
    : `Replace ${place} with \`dist/meaning.bin\` of this version of the package.`

function tableNamed(model: string, bytes: Uint8Array, remedy: string): MeaningTable {
  const table = readMeaningTable(bytes, remedy)
  if (table.name === model) return table
  const message = `The file of its table is of the model ${table.name}, not of ${model}. ${remedy} For another table, set the option \`model\`.`
  throw new DaybookError('embedder-failed', message)
}
