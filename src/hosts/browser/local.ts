// `daybook/local`: a local model as the embedder of a book. A separate entry, so that only its importers need
// `@huggingface/transformers`.
import type { LocalEmbedderOptions, LocalModelOptions } from '../../recall/embed/embedder-options.ts'
import { assetsFolder, scriptAddress, startScript } from './page-script.ts'

/**
 * An `embedder` for `openDaybook` that runs a model in its own worker, started by the owner tab. URLs may be
 * relative to the page. `assets` as for `openDaybook`: the folder with `model-worker.js`.
 *
 * ```ts
 * openDaybook({ name, embedder: localEmbedder({ model: 'Xenova/all-MiniLM-L6-v2' }) })
 * ```
 */
export function localEmbedder({
  assets,
  ...options
}: LocalModelOptions & { readonly assets?: string }): LocalEmbedderOptions {
  const { path, wasm, runtime } = options
  const folder = assets === undefined ? undefined : assetsFolder(assets)
  return {
    ...options,
    ...(path === undefined ? {} : { path: absolute(path) }),
    ...(wasm === undefined ? {} : { wasm: absolute(wasm) }),
    ...(runtime === undefined ? {} : { runtime: absolute(runtime) }),
    provider: 'local',
    start() {
      const address = scriptAddress('model-worker.js', folder, import.meta.url)
      if (address !== undefined) return startScript(address, 'daybook-model')
      return new Worker(new URL('./model-worker.ts', import.meta.url), {
        type: 'module',
        name: 'daybook-model',
      })
    },
  }
}

const absolute = (address: string) => new URL(address, location.href).href

export type { LocalEmbedderOptions, LocalModelOptions }
