#!/usr/bin/env node
// `daybook`: the script of the command line. Passes arguments and signals to `runCli`, and sets the exit
// code.
import './port/check-node.ts'
import './cli/small-heap.ts'
import { exitCode } from './cli/command.ts'
import { runCli } from './cli/run-cli.ts'
import { outputFault } from './cli/output-file.ts'

const abort = new AbortController()
process.once('SIGINT', () => abort.abort())
process.once('SIGTERM', () => abort.abort())
process.stdout.on('error', (error) => abort.abort(outputFault(error)))
// An error of stderr can't be reported, so ignore it.
process.stderr.on('error', () => undefined)
const code = await runCli(process.argv.slice(2), abort.signal)
// Exit at once when interrupted: output that a pipe's reader doesn't read would keep the process alive.
if (code === exitCode.interrupted) process.exit(code)
process.exitCode = code
