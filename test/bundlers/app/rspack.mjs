import { rspack } from '@rspack/core'

const output = { path: new URL('by-rspack', import.meta.url).pathname }
const options = {
  mode: 'production',
  context: import.meta.dirname,
  entry: './main.js',
  performance: false,
  output,
}
rspack(options, (error, stats) => {
  console.log(error ?? stats.toString({ all: false, errors: true, warnings: true }))
})
