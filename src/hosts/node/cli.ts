#!/usr/bin/env node
// `daybook`: the command line. It only wires the process to the commands.
import './port/check-node.ts'
import './cli/small-heap.ts'
import { isBrokenPipe, runCli } from './cli/run-cli.ts'

const abort = new AbortController()
process.once('SIGINT', () => abort.abort())
process.once('SIGTERM', () => abort.abort())
process.stdout.on('error', (error) => {
  if (!isBrokenPipe(error)) throw error
  abort.abort(error)
})
const code = await runCli(process.argv.slice(2), abort.signal)
process.exitCode = code
