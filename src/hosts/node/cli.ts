#!/usr/bin/env node
// `daybook`: the command line. It only wires the process to the commands.
import './port/check-node.ts'
import './cli/small-heap.ts'
import { exitCode } from './cli/command.ts'
import { runCli } from './cli/run-cli.ts'
import { outputFault } from './cli/stdout.ts'

const abort = new AbortController()
process.once('SIGINT', () => abort.abort())
process.once('SIGTERM', () => abort.abort())
process.stdout.on('error', (error) => abort.abort(outputFault(error)))
// Remarks go there, and nowhere else is there to say that they are lost.
process.stderr.on('error', () => undefined)
const code = await runCli(process.argv.slice(2), abort.signal)
// What still waits for a reader of a pipe keeps no interrupted process alive.
if (code === exitCode.interrupted) process.exit(code)
process.exitCode = code
