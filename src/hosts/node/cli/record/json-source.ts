// JSON that is given on the command line: as it stands, from a file (`@file`) or from stdin (`-`).
import { openStdin, readAll, readInput } from '../input-file.ts'
import { UsageError } from '../usage-error.ts'

/** `what` names it in errors. */
export async function readJsonSource(source: string, what: string, signal: AbortSignal): Promise<unknown> {
  const text = await textFrom(source, signal)
  try {
    return JSON.parse(text) as unknown
  } catch (cause) {
    throw new UsageError(`${what} is not JSON: ${cause instanceof Error ? cause.message : ''}`)
  }
}

async function textFrom(source: string, signal: AbortSignal): Promise<string> {
  if (source === '-') return readAll('stdin', openStdin(signal))
  if (!source.startsWith('@')) return source
  return readInput(source.slice(1), signal)
}
