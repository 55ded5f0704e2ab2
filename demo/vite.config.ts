// Serves and builds the inspector. Invariant: the same Content-Security-Policy in dev, preview and build; the one
// thing that dev allows beside it is Vite's own injected style sheets.
import { defineConfig, type Plugin } from 'vite'
import { withoutUnusedWorkers } from '../scripts/bundle-plugin.mjs'

// Read by the page as import.meta.env.VITE_EDGE_URL. Empty: no edge. `/`: the edge that serves the page.
process.env['VITE_EDGE_URL'] ??= 'http://127.0.0.1:8787'

function contentPolicy(isDev: boolean): string {
  const edge = process.env['VITE_EDGE_URL'] ?? ''
  const origin = /^https?:/.test(edge) ? new URL(edge).origin : undefined
  const connect = origin === undefined ? '' : ` ${origin} ${origin.replace(/^http/, 'ws')}`
  return [
    "default-src 'none'",
    "script-src 'self' 'wasm-unsafe-eval'",
    `style-src 'self'${isDev ? " 'unsafe-inline'" : ''}`,
    "img-src 'self' data:",
    `connect-src 'self'${connect}`,
    "worker-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ')
}

/** The policy as a `<meta>` for the page, and as a header besides, because a worker obeys only its own header. */
function contentSecurityPolicy(): Plugin {
  let policy = ''
  return {
    name: 'inspector:content-security-policy',
    configResolved(config) {
      policy = contentPolicy(config.command === 'serve' && config.mode !== 'production')
    },
    configureServer(server) {
      server.middlewares.use((_request, response, next) => {
        response.setHeader('Content-Security-Policy', policy)
        next()
      })
    },
    configurePreviewServer(server) {
      server.middlewares.use((_request, response, next) => {
        response.setHeader('Content-Security-Policy', policy)
        next()
      })
    },
    transformIndexHtml: () => [
      {
        tag: 'meta',
        attrs: { 'http-equiv': 'Content-Security-Policy', content: policy },
        injectTo: 'head-prepend',
      },
    ],
  }
}

const place = { host: '127.0.0.1', port: Number(process.env['DEMO_PORT'] ?? 5173), strictPort: true }

export default defineConfig({
  root: import.meta.dirname,
  cacheDir: '../.cache/vite-demo',
  plugins: [contentSecurityPolicy()],
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  worker: { format: 'es', plugins: () => [withoutUnusedWorkers()] },
  optimizeDeps: {
    exclude: ['@sqlite.org/sqlite-wasm'],
    // Named here because the worker's are only found when it starts, and finding them late reloads the page.
    include: [
      '@cfworker/json-schema',
      'canonicalize',
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
