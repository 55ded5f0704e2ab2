// Embeds texts by the table of `daybook/meaning` in a page's worker, without a book.
import { createMeaningModel } from '../../../src/recall/embed/meaning/meaning-model.ts'
import { readMeaningTable } from '../../../src/recall/embed/meaning/meaning-table.ts'
import { wasmOf } from '../../../src/web/web-wasm.ts'
import { createTextSource } from '../text-source.ts'

export interface EmbeddingRequest {
  /** Address of the table. */
  readonly url: string
  readonly count: number
  readonly chars: number
  readonly round: number
}

onmessage = ({ data }: MessageEvent<EmbeddingRequest>) => {
  void embed(data).then(
    (perSecond) => postMessage({ perSecond }),
    (error: unknown) => postMessage({ error: String(error) }),
  )
}

async function embed({ url, count, chars, round }: EmbeddingRequest): Promise<number> {
  const bytes = new Uint8Array(await (await fetch(url)).arrayBuffer())
  const model = createMeaningModel(readMeaningTable(bytes, ''), wasmOf(globalThis))
  const { words } = createTextSource(11 + round)
  const texts = Array.from({ length: count }, () => words(chars / 4).slice(0, chars))
  const began = performance.now()
  for (const text of texts) model.embed(text)
  return (1000 * count) / (performance.now() - began)
}
