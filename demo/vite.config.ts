// Serves and builds the inspector. Invariant: the same headers in dev, preview and build, from scripts/page-headers.mjs;
// the one thing that dev allows beside them is Vite's own injected style sheets.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { type Connect, defineConfig, type Plugin } from 'vite'
import { withoutUnusedSqlite } from '../scripts/bundle-plugin.mjs'
import { contentPolicy, headersFile, metaPolicy, pageHeaders } from '../scripts/page-headers.mjs'

// Read by the page as import.meta.env.VITE_EDGE_URL. Empty: no edge. `/`: the edge that serves the page.
process.env['VITE_EDGE_URL'] ??= 'http://127.0.0.1:8787'

const isEmbedded = process.env['VITE_EMBEDDED'] === '1'

/**
 * The headers on every answer, the scripts of workers included, which obey their own header alone; and the policy as a
 * `<meta>` besides, for where the built page is served by something that does not read its `_headers`.
 */
function withPageHeaders(): Plugin {
  let policy = ''
  const sendHeaders: Connect.NextHandleFunction = (_request, response, next) => {
    for (const [name, value] of Object.entries(pageHeaders(policy))) response.setHeader(name, value)
    next()
  }
  return {
    name: 'inspector:page-headers',
    configResolved({ command, mode }) {
      const edge = process.env['VITE_EDGE_URL'] ?? ''
      policy = contentPolicy({ edge, isDev: command === 'serve' && mode !== 'production' })
    },
    configureServer: (server) => void server.middlewares.use(sendHeaders),
    configurePreviewServer: (server) => void server.middlewares.use(sendHeaders),
    transformIndexHtml: (html) => ({
      // Within an app it is no app of its own.
      html: isEmbedded ? html.replace(/<link rel="manifest"[^>]*>/, '') : html,
      tags: [
        {
          tag: 'meta',
          attrs: { 'http-equiv': 'Content-Security-Policy', content: metaPolicy(policy) },
          injectTo: 'head-prepend',
        },
      ],
    }),
    generateBundle() {
      this.emitFile({ type: 'asset', fileName: '_headers', source: headersFile(policy) })
    },
  }
}

/** Files of `public/` for the page: icons and the manifest. */
const publicFiles = [
  'icon.svg',
  'icon-maskable.svg',
  'icon-192.png',
  'icon-512.png',
  'icon-maskable-512.png',
  'manifest.webmanifest',
]

/** Writes the list of all files of the build, with a revision made of their bytes, into the service worker. */
function withPrecache(): Plugin {
  return {
    name: 'inspector:precache',
    apply: 'build',
    generateBundle: {
      order: 'post',
      handler(_options, bundle) {
        const worker = bundle['service-worker.js']
        if (worker?.type !== 'chunk') throw new Error('The build has no service worker.')
        const hash = createHash('sha256')
        const built = Object.values(bundle).filter(
          ({ fileName }) =>
            fileName !== '_headers' && fileName !== worker.fileName && !fileName.endsWith('.map'),
        )
        for (const file of built.toSorted((a, b) => (a.fileName < b.fileName ? -1 : 1)))
          hash.update(file.fileName).update(file.type === 'chunk' ? file.code : file.source)
        for (const file of publicFiles) hash.update(readFileSync(`${import.meta.dirname}/public/${file}`))
        const files = [
          ...built.map(({ fileName }) => (fileName === 'index.html' ? '' : fileName)),
          ...publicFiles,
        ]
        const list = JSON.stringify({ revision: hash.digest('hex').slice(0, 16), files })
        const code = worker.code.replace(/["'`]__PRECACHE__["'`]/, () => JSON.stringify(list))
        if (code === worker.code) throw new Error('The service worker has no place for the list of files.')
        worker.code = code
      },
    },
  }
}

const place = { host: '127.0.0.1', port: Number(process.env['DEMO_PORT'] ?? 5173), strictPort: true }

export default defineConfig({
  root: import.meta.dirname,
  cacheDir: '../.cache/vite-demo',
  plugins: [withPageHeaders(), withPrecache()],
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  worker: { format: 'es', plugins: () => [withoutUnusedSqlite()] },
  optimizeDeps: {
    exclude: ['@sqlite.org/sqlite-wasm'],
    // Named here because the worker's are only found when it starts, and finding them late reloads the page.
    include: [
      '@cfworker/json-schema',
      '@scure/base',
      'comlink',
      'idb',
      'zod',
      'preact',
      'preact/hooks',
      'preact/jsx-dev-runtime',
      '@preact/signals',
    ],
  },
  server: { ...place, fs: { allow: ['..'] } },
  preview: place,
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: 'es2023',
    modulePreload: { polyfill: false },
    rolldownOptions: {
      input: ['index.html', 'service-worker.ts'].map((file) => `${import.meta.dirname}/${file}`),
      output: {
        // A service worker governs the folder that it is served from.
        entryFileNames: ({ name }) => (name === 'service-worker' ? '[name].js' : 'assets/[name]-[hash].js'),
      },
    },
  },
})
