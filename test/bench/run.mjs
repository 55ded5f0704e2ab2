// `npm run bench`: measures Daybook beside other stores and searchers in a real Chromium, prints the tables, and
// writes .cache/bench.json. Ends with non-zero only when something failed to run, or with `--compare`. Options:
//   --only store|search|vector|embedding|sync|tabs|consent|pool|inspector   --rounds N (default 5)   --peers a,b   --quick (shorter, and only 10,000 texts)
//   --sizes 10000,1000000 (texts to search in, vectors, or texts to embed; with `--only sync` traces of a first sync, one size)
//   --compare daybook-0.1.0.tgz (a package of an earlier Daybook): the store rows of both in turn; fails when a row of this build is
//   more than 10 % slower
import { existsSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { runBench } from './run/run-bench.ts'

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    rounds: { type: 'string' },
    peers: { type: 'string' },
    sizes: { type: 'string' },
    compare: { type: 'string' },
    quick: { type: 'boolean', default: false },
  },
})
const all = /** @type {const} */ ([
  'store',
  'search',
  'vector',
  'embedding',
  'sync',
  'tabs',
  'consent',
  'pool',
  'inspector',
])
const { compare } = values
if (compare !== undefined && (!existsSync(compare) || (values.only ?? 'store') !== 'store')) {
  console.error('--compare takes a packed Daybook (`npm pack`), and measures the rows of `store` only.')
  process.exit(2)
}
const only = compare === undefined ? values.only : 'store'
const peers = values.peers?.split(',') ?? (compare === undefined ? undefined : ['daybook', 'daybook-before'])
const kinds = all.filter((kind) => only === undefined || only === kind)
if (kinds.length === 0) {
  console.error(
    '--only takes `store`, `search`, `vector`, `embedding`, `sync`, `tabs`, `consent`, `pool` or `inspector`.',
  )
  process.exit(2)
}
const rounds = Number(values.rounds ?? (values.quick ? 2 : 5))
if (!Number.isInteger(rounds) || rounds < 1) {
  console.error('--rounds takes a whole number, 1 or more.')
  process.exit(2)
}
const sizes = values.sizes?.split(',').map(Number)
if (sizes?.some((size) => !Number.isInteger(size) || size < 1)) {
  console.error('--sizes takes whole numbers, 1 or more, parted by commas.')
  process.exit(2)
}

const failures = await runBench({
  kinds,
  rounds,
  quick: values.quick,
  ...(sizes === undefined ? {} : { sizes }),
  ...(compare === undefined ? {} : { compare }),
  ...(peers === undefined ? {} : { peers }),
})
process.exit(failures > 0 ? 1 : 0)
