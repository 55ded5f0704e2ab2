// `npm run deploy`: builds the inspector for the edge that serves it, and publishes both as one Worker.
// Arguments after `--` go to wrangler, as in `npm run deploy -- --dry-run`.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { buildPage } from './build-page.mjs'
import { nodeBinary, quietWrangler, root } from './place.mjs'

const page = join(root, 'demo/dist')
buildPage(page)
const wrangler = ['node_modules/wrangler/bin/wrangler.js', 'deploy', '--assets', page]
const { status } = spawnSync(nodeBinary, [...wrangler, ...process.argv.slice(2)], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, ...quietWrangler },
})
if (status !== 0) process.exit(status ?? 1)
