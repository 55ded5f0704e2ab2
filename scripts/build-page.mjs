// Builds the inspector: for the edge that serves it, or for apps that serve it themselves.
import { spawnSync } from 'node:child_process'
import { globSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { nodeBinary, root } from './place.mjs'

/** Builds into `folder`; ends this process if the build fails. */
export function buildPage(/** @type {string} */ folder) {
  build(folder, [], { VITE_EDGE_URL: '/' })
}

/** The same for any folder and origin: it has no edge and shows the books of its origin. */
export function buildInspector(/** @type {string} */ folder) {
  build(folder, ['--base', './'], { VITE_EDGE_URL: '', VITE_EMBEDDED: '1' })
  // Parts of a standalone app only: headers of its host, offline work, installation.
  const own = ['_headers', 'manifest.webmanifest', 'service-worker.js', 'icon-maskable.svg']
  for (const file of [...own, ...globSync('*.png', { cwd: folder })]) rmSync(join(folder, file))
}

/** @param {string} folder @param {string[]} options @param {Record<string, string>} env */
function build(folder, options, env) {
  const vite = ['node_modules/vite/bin/vite.js', 'build', 'demo', '--emptyOutDir', '--logLevel', 'warn']
  const { status } = spawnSync(nodeBinary, [...vite, ...options, '--outDir', folder], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, ...env },
  })
  if (status !== 0) process.exit(status ?? 1)
}
