// The product's Worker, and others, as workerd runs them: one file, in a real workerd.
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import { rolldown } from 'rolldown'
import { root } from '../../../scripts/place.mjs'

/** A Worker as one file. */
export async function bundleWorker(input: string): Promise<string> {
  const bundle = await rolldown({
    cwd: root,
    input,
    platform: 'browser',
    resolve: { conditionNames: ['workerd', 'import', 'default'] },
    external: /^(?:node|cloudflare):/,
  })
  const { output } = await bundle.generate({ format: 'es', codeSplitting: false })
  await bundle.close()
  return output[0].code
}

/** The product's Worker on a port of its own. */
export async function openWorker(bindings: Readonly<Record<string, string>> = {}): Promise<Miniflare> {
  return new Miniflare(
    convertV4MiniflareOptions({
      modules: true,
      script: await bundleWorker('worker/index.ts'),
      compatibilityDate: '2026-10-20',
      durableObjects: { MIRROR: { className: 'Mirror', useSQLite: true } },
      bindings: { ...bindings },
    }),
  )
}
