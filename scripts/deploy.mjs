// `npm run deploy`: builds the inspector to talk to the edge that serves it, and publishes both as one Worker.
// What follows `--` goes to wrangler, as in `npm run deploy -- --dry-run`.
import { spawnSync } from 'node:child_process'
import { nodeBinary, quietWrangler, root } from './place.mjs'

const steps = [
  ['node_modules/vite/bin/vite.js', 'build', 'demo'],
  ['node_modules/wrangler/bin/wrangler.js', 'deploy', '--assets', 'demo/dist', ...process.argv.slice(2)],
]
const env = { ...process.env, ...quietWrangler, VITE_EDGE_URL: '/' }

for (const step of steps) {
  const { status } = spawnSync(nodeBinary, step, { cwd: root, stdio: 'inherit', env })
  if (status !== 0) process.exit(status ?? 1)
}
