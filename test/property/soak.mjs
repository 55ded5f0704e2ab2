// `npm run soak:properties -- [--rounds 10] [--from SEED]`: runs every file of Node's property tests again with other seeds, and
// says which seed failed where.
import { spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { root } from '../../scripts/place.mjs'

const { values } = parseArgs({ options: { rounds: { type: 'string' }, from: { type: 'string' } } })
const rounds = Number(values.rounds ?? 10)
const from = Number(values.from ?? Math.trunc(Date.now() / 1000) % 2 ** 31)
const files = globSync('test/{node,contract,sim}/**/*.test.ts', { cwd: root }).filter((file) =>
  /from 'fast-check'|draw-from-seed/.test(readFileSync(join(root, file), 'utf8')),
)
const vitest = join(root, 'node_modules/vitest/vitest.mjs')
const args = ['run', '--config', 'test/vitest.config.ts', '--reporter', 'dot', '--project', 'node']
let failed = 0
for (let seed = from; seed < from + rounds; seed++) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [vitest, ...args, '--project', 'node-quick', ...files],
    {
      cwd: root,
      env: {
        ...process.env,
        NO_COLOR: '1',
        DAYBOOK_WHOLE: '1',
        DAYBOOK_FIELDS: '3000',
        DAYBOOK_PROPERTY_SEED: String(seed),
      },
      encoding: 'utf8',
      maxBuffer: 2 ** 28,
    },
  )
  console.log(`Seed ${seed}, ${files.length} files: ${status === 0 ? 'passed' : 'failed'}`)
  if (status === 0) continue
  failed += 1
  console.log(stdout + stderr)
}
console.log(`${rounds} rounds, seeds ${from} to ${from + rounds - 1}: ${failed} failed.`)
process.exitCode = failed === 0 ? 0 : 1
