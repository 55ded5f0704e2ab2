// `npm run eval -- --dataset golden|synonym|whole|judged|locomo|precision|cranfield [--path FILE-OR-FOLDER]`: asks a data set
// through the public API in Node and prints the figures. The first three are part of the project; `judged` prints a table of
// all three. `npm run eval -- --peers [--size N]`: the
// golden corpus and N texts of the bench (default 10,000) through other search libraries as well. Options: --json, and
// `--ablate [--path FILE]`: the corpora of the project, and a file of LoCoMo's format, without each part of recall in turn, and
// with an embedder also by words alone and by vectors alone.
// --embedder none|lsa|meaning|http|api|local with --embed-url, --embed-model, --embed-path, --embed-dtype, --embed-pooling and the
// key in $DAYBOOK_EMBED_KEY.
import { parseArgs } from 'node:util'
import { ablate, ablationText } from './ablate.ts'
import { embedderOf } from './eval-embedder.ts'
import { evalPeers } from './peers.ts'
import { datasets, ownDatasets, runEval } from './run-eval.ts'

const { values } = parseArgs({
  options: {
    dataset: { type: 'string' },
    path: { type: 'string' },
    embedder: { type: 'string', default: 'none' },
    'embed-url': { type: 'string' },
    'embed-model': { type: 'string' },
    'embed-path': { type: 'string' },
    'embed-dtype': { type: 'string' },
    'embed-pooling': { type: 'string' },
    json: { type: 'boolean', default: false },
    peers: { type: 'boolean', default: false },
    ablate: { type: 'boolean', default: false },
    size: { type: 'string', default: '10000' },
  },
})
if (values.peers) {
  const size = Number(values.size)
  if (!Number.isInteger(size) || size < 100) {
    console.error('--size takes a whole number, 100 or more.')
    process.exit(2)
  }
  const figures = await evalPeers(size)
  if (values.json) console.log(JSON.stringify(figures))
  else
    for (const [name, rows] of Object.entries(figures)) {
      console.log(name)
      console.table(
        Object.fromEntries(
          Object.entries(rows).map(([peer, row]) => [
            peer,
            Object.fromEntries(
              Object.entries(row).map(([figure, value]) => [figure, Number(value.toFixed(3))]),
            ),
          ]),
        ),
      )
    }
  process.exit(0)
}
if (values.ablate) {
  const table = await ablate(values.path, embedderOf(values, process.env['DAYBOOK_EMBED_KEY']))
  console.log(values.json ? JSON.stringify(table) : ablationText(table))
  process.exit(0)
}
const wrong =
  values.dataset === undefined || !datasets.includes(values.dataset)
    ? `--dataset takes one of ${datasets.join(', ')}.`
    : values.path === undefined && !ownDatasets.includes(values.dataset)
      ? '--path takes the file or the folder of the data.'
      : undefined
if (wrong !== undefined) {
  console.error(wrong)
  process.exit(2)
}
try {
  const figures = await runEval({
    dataset: /** @type {string} */ (values.dataset),
    path: values.path ?? '',
    embedder: embedderOf(values, process.env['DAYBOOK_EMBED_KEY']),
  })
  if (values.json) console.log(JSON.stringify(figures))
  else if (values.dataset === 'judged') {
    const shortOf = (/** @type {[string, number]} */ [figure, value]) => [
      figure,
      Number(Number(value).toFixed(3)),
    ]
    const sets = Object.entries(figures).filter(
      ([, value]) => typeof value === 'object' && 'questions' in value,
    )
    console.table(
      Object.fromEntries(
        sets.map(([name, set]) => [name, Object.fromEntries(Object.entries(set).map(shortOf))]),
      ),
    )
    console.log('degraded', figures.degraded, 'latencyMs', figures.latencyMs)
  } else for (const [name, value] of Object.entries(figures)) console.log(name, value)
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error))
  process.exit(1)
}
