// Serves and builds the inspector. Invariant: the same headers in dev, preview and build, from scripts/page-headers.mjs;
// the one thing that dev allows beside them is Vite's own injected style sheets.
import { type Connect, defineConfig, type Plugin } from 'vite'
import { withoutUnusedWorkers } from '../scripts/bundle-plugin.mjs'
import { contentPolicy, headersFile, metaPolicy, pageHeaders } from '../scripts/page-headers.mjs'

// Read by the page as import.meta.env.VITE_EDGE_URL. Empty: no edge. `/`: the edge that serves the page.
process.env['VITE_EDGE_URL'] ??= 'http://127.0.0.1:8787'

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
    transformIndexHtml: () => [
      {
        tag: 'meta',
        attrs: { 'http-equiv': 'Content-Security-Policy', content: metaPolicy(policy) },
        injectTo: 'head-prepend',
      },
    ],
    generateBundle() {
      this.emitFile({ type: 'asset', fileName: '_headers', source: headersFile(policy) })
    },
  }
}

const place = { host: '127.0.0.1', port: Number(process.env['DEMO_PORT'] ?? 5173), strictPort: true }

export default defineConfig({
  root: import.meta.dirname,
  cacheDir: '../.cache/vite-demo',
  plugins: [withPageHeaders()],
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  worker: { format: 'es', plugins: () => [withoutUnusedWorkers()] },
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
