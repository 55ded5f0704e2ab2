// webpack's dev server as docs/operate.md sets it up, on a free port, which it prints.
import { inspectorMiddleware } from 'daybook/dev-server'
import webpack from 'webpack'
import WebpackDevServer from 'webpack-dev-server'

const compiler = webpack({
  mode: 'development',
  entry: './inspected.js',
  output: { filename: 'by-webpack.js' },
  infrastructureLogging: { level: 'error' },
})
const server = new WebpackDevServer(
  {
    host: '127.0.0.1',
    port: 'auto',
    // The folder has every bundler in it, which nobody wants watched.
    static: { directory: import.meta.dirname, watch: false },
    setupMiddlewares: (others) => [inspectorMiddleware(), ...others],
  },
  compiler,
)
await server.start()
console.log(`http://127.0.0.1:${server.options.port}/`)
