#!/usr/bin/env node
// `daybook`: the command line. Connects the process to the commands.
import './port/check-node.ts'
import './cli/small-heap.ts'
import { exitCode } from './cli/command.ts'
import { runCli } from './cli/run-cli.ts'
import { outputFault } from './cli/output-file.ts'

const abort = new AbortController()
process.once('SIGINT', () => abort.abort())
process.once('SIGTERM', () => abort.abort())
process.stdout.on('error', (error) => abort.abort(outputFault(error)))
// Remarks go to stderr; if it fails, nothing can report that.
process.stderr.on('error', () => undefined)
const code = await runCli(process.argv.slice(2), abort.signal)
// Exit at once when interrupted: output that waits for a pipe's reader would keep the process alive.
if (code === exitCode.interrupted) process.exit(code)
process.exitCode = code
