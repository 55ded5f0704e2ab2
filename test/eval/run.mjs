// `npm run eval -- --dataset locomo|precision|cranfield --path FILE-OR-FOLDER`: asks an outside data set through the
// public API in Node and prints the figures. Options: --embedder none|lsa, --json. The data is not part of the project.
import { parseArgs } from 'node:util'
import { datasets, runEval } from './run-eval.ts'

const { values } = parseArgs({
  options: {
    dataset: { type: 'string' },
    path: { type: 'string' },
    embedder: { type: 'string', default: 'none' },
    json: { type: 'boolean', default: false },
  },
})
const wrong =
  values.dataset === undefined || !datasets.includes(values.dataset)
    ? `--dataset takes one of ${datasets.join(', ')}.`
    : values.path === undefined
      ? '--path takes the file or the folder of the data.'
      : values.embedder !== 'none' && values.embedder !== 'lsa'
        ? '--embedder takes `none` or `lsa`.'
        : undefined
if (wrong !== undefined) {
  console.error(wrong)
  process.exit(2)
}
try {
  const figures = await runEval({
    dataset: /** @type {string} */ (values.dataset),
    path: /** @type {string} */ (values.path),
    embedder: values.embedder === 'lsa' ? 'lsa' : 'none',
  })
  if (values.json) console.log(JSON.stringify(figures))
  else for (const [name, value] of Object.entries(figures)) console.log(name, value)
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error))
  process.exit(1)
}
