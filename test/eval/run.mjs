// `npm run eval`: prints what recall must reach on the judged corpora of the project, by words and with the embedder (default
// `meaning`), beside the least that tests hold; `--path FILE` adds a file of LoCoMo's format.
// `npm run eval -- --ablate [--path FILE]`: the same corpora without each part of recall in turn, by words and with the embedder
// (default `meaning`), in Markdown.
// `npm run eval -- --dataset golden|synonym|whole|judged|rules|profile|locomo|precision|cranfield [--path FILE-OR-FOLDER]`: every figure of one
// data set, by default without an embedder. The first six are part of the project.
// `npm run eval -- --peers [--size N]`: the golden corpus and N texts of the bench (default 10,000) through other search libraries.
// Options: --json, --embedder none|lsa|meaning|http|api|local with --embed-url, --embed-model, --embed-path, --embed-dtype,
// --embed-pooling and the key in $DAYBOOK_EMBED_KEY.
import { parseArgs } from 'node:util'
import { ablate, ablationText } from './ablate.ts'
import { embedderOf } from './eval-embedder.ts'
import { mustReach } from './must-reach.ts'
import { evalPeers } from './peers.ts'
import { datasets, ownDatasets, runEval, setsOf } from './run-eval.ts'

const { values } = parseArgs({
  options: {
    dataset: { type: 'string' },
    path: { type: 'string' },
    embedder: { type: 'string' },
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
/** @param {string} usual without `--embedder` */
const embedderBy = (usual) =>
  embedderOf({ ...values, embedder: values.embedder ?? usual }, process.env['DAYBOOK_EMBED_KEY'])

/** @param {Readonly<Record<string, Readonly<Record<string, number>>>>} rows */
function printTable(rows) {
  if (values.json) console.log(JSON.stringify(rows))
  else
    console.table(
      Object.fromEntries(
        Object.entries(rows).map(([name, row]) => [
          name,
          Object.fromEntries(
            Object.entries(row).map(([figure, value]) => [figure, Number(value.toFixed(3))]),
          ),
        ]),
      ),
    )
}

/** @param {string} message */
function refuse(message) {
  console.error(message)
  process.exit(2)
}

async function printPeers() {
  const size = Number(values.size)
  if (!Number.isInteger(size) || size < 100) refuse('--size takes a whole number, 100 or more.')
  const figures = await evalPeers(size)
  if (values.json) return console.log(JSON.stringify(figures))
  for (const [name, rows] of Object.entries(figures)) {
    console.log(name)
    printTable(rows)
  }
}

async function printAblation() {
  const table = await ablate(values.path, embedderBy('meaning'))
  console.log(values.json ? JSON.stringify(table) : ablationText(table))
}

/** @param {string} dataset */
async function printDataset(dataset) {
  if (!datasets.includes(dataset)) refuse(`--dataset takes one of ${datasets.join(', ')}.`)
  if (values.path === undefined && !ownDatasets.includes(dataset))
    refuse('--path takes the file or the folder of the data.')
  const figures = await runEval({ dataset, path: values.path ?? '', embedder: embedderBy('none') })
  if (values.json) return console.log(JSON.stringify(figures))
  if (dataset !== 'judged') {
    for (const [name, value] of Object.entries(figures)) console.log(name, value)
    return
  }
  printTable(setsOf(figures))
  console.log('degraded', figures.degraded, 'latencyMs', figures.latencyMs)
}

try {
  if (values.peers) await printPeers()
  else if (values.ablate) await printAblation()
  else if (values.dataset === undefined) printTable(await mustReach(values.path, embedderBy('meaning')))
  else await printDataset(values.dataset)
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error))
  process.exit(1)
}
