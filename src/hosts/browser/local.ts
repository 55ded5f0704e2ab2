// `daybook/local`: a local model as the embedder of a book. It is a separate entry, so that only apps that
// import it need `@huggingface/transformers`.
import type { LocalEmbedderOptions, LocalModelOptions } from '../../recall/embed/embedder-options.ts'
import { assetsFolder, scriptAddress, startScript } from './page-script.ts'

/**
 * Returns an `embedder` for `openDaybook`; the owner tab starts its model in a worker. URLs may be relative
 * to the page. `assets`: URL of the folder with `model-worker.js`, as for `openDaybook`. Throws
 * `invalid-input` for an invalid `assets`.
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
      // Undefined: a bundler serves the worker from the URL below.
      if (address !== undefined) return startScript(address, 'daybook-model')
      // Don't change this form: bundlers recognize only it.
      return new Worker(new URL('./model-worker.ts', import.meta.url), {
        type: 'module',
        name: 'daybook-model',
      })
    },
  }
}

const absolute = (address: string) => new URL(address, location.href).href

export type { LocalEmbedderOptions, LocalModelOptions }
