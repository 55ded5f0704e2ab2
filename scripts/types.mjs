// `npm run types`: generates the types of the edge's runtime from wrangler.toml, then checks all rooms, or
// the named ones (`node scripts/types.mjs src worker`). The compiler leaves the declarations in .cache/types.
import { spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { nodeBinary, quietWrangler, root } from './place.mjs'

/** @param {string[]} args @param {boolean} isQuiet */
function run(args, isQuiet) {
  const env = { ...process.env, ...quietWrangler }
  const stdio = isQuiet ? 'pipe' : 'inherit'
  const { status, stdout, stderr } = spawnSync(nodeBinary, args, { cwd: root, env, stdio, encoding: 'utf8' })
  if (status === 0) return
  if (isQuiet) console.error(stdout + stderr)
  process.exit(1)
}

mkdirSync(join(root, '.cache'), { recursive: true })
run(['node_modules/wrangler/bin/wrangler.js', 'types', '.cache/worker-configuration.d.ts'], true)
run(['node_modules/typescript/bin/tsc', '-b', ...process.argv.slice(2)], false)
