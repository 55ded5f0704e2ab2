// The passphrase of a bundle, from a file: never from the command line, where every process can read it.
import { readInput } from './input-file.ts'
import { UsageError } from './usage-error.ts'

/** The first line of the file. */
export async function readPassphrase(path: string, signal: AbortSignal): Promise<string> {
  const [line = ''] = (await readInput(path, signal)).split(/\r?\n/)
  if (line === '') throw new UsageError(`${path} has no passphrase on its first line`)
  return line
}
