// Builds the inspector to talk to the edge that serves it, as it is published.
import { spawnSync } from 'node:child_process'
import { nodeBinary, root } from './place.mjs'

/** Builds into `folder`, from the repository's root; ends this process when it cannot be built. */
export function buildPage(/** @type {string} */ folder) {
  const vite = ['node_modules/vite/bin/vite.js', 'build', 'demo', '--emptyOutDir', '--logLevel', 'warn']
  const { status } = spawnSync(nodeBinary, [...vite, '--outDir', folder], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, VITE_EDGE_URL: '/' },
  })
  if (status !== 0) process.exit(status ?? 1)
}
