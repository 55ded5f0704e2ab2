// `npm run types`: generates the types of the edge's runtime from wrangler.toml, then checks all rooms, or
// the named ones (`node scripts/types.mjs src worker`). The compiler leaves the declarations in .cache/types.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { nodeBinary, quietWrangler, root } from './place.mjs'

/** @param {string[]} args @param {boolean} isQuiet @param {Record<string, string>} settings */
function run(args, isQuiet, settings) {
  const env = { ...process.env, ...settings }
  const stdio = isQuiet ? 'pipe' : 'inherit'
  const { status, stdout, stderr } = spawnSync(nodeBinary, args, { cwd: root, env, stdio, encoding: 'utf8' })
  if (status === 0) return
  if (isQuiet) console.error(stdout + stderr)
  process.exit(1)
}

/** Generates the types of the edge's runtime, unless nothing that they depend on has changed. */
function writeEdgeTypes() {
  const path = '.cache/worker-configuration.d.ts'
  const inputs = ['wrangler.toml', 'node_modules/.package-lock.json', '.dev.vars', '.env', path]
  const sum = () =>
    inputs.reduce(
      (hash, file) => hash.update(existsSync(join(root, file)) ? readFileSync(join(root, file)) : 'none'),
      createHash('sha256'),
    )
  const stamp = join(root, '.cache/worker-configuration.sum')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === sum().digest('hex')) return
  run(['node_modules/wrangler/bin/wrangler.js', 'types', path], true, quietWrangler)
  writeFileSync(stamp, sum().digest('hex'))
}

mkdirSync(join(root, '.cache'), { recursive: true })
writeEdgeTypes()
// One checker a project: each checker works out the types of all verbs again. The heap may grow fourfold between two
// collections, because most of what a checker allocates lives to its end.
run(['node_modules/typescript/bin/tsc', '-b', '--checkers', '1', ...process.argv.slice(2)], false, {
  GOGC: process.env['GOGC'] ?? '400',
})
