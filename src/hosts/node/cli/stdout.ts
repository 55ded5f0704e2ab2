// What goes to stdout and does not arrive there.
import { Writable } from 'node:stream'
import { reasonOf } from './input-file.ts'

/** Stdout takes no more; the message says why. */
export class OutputError extends Error {
  override readonly name = 'OutputError'
}

/** What a fault of stdout means: nobody reads on, or an `OutputError`. */
export const outputFault = (cause: Error): Error =>
  isBrokenPipe(cause) ? cause : new OutputError(`The output can't be written: ${reasonOf(cause)}.`, { cause })

/** Stdout as a stream that is not ended: what comes after it in the process may still write. */
export const outStream = (): Writable =>
  new Writable({
    write: (chunk: Uint8Array, _encoding, done) =>
      void process.stdout.write(chunk, (cause) => done(cause ? outputFault(cause) : null)),
  })

/** Waits until stdout has taken all. Rejects when it does not, and when `signal` ends the wait. */
export async function flushOut(signal: AbortSignal): Promise<void> {
  if (signal.reason instanceof OutputError) throw signal.reason
  if (signal.aborted) return
  await new Promise<void>((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
    process.stdout.write('', (cause) => (cause ? reject(outputFault(cause)) : resolve()))
  })
}

/** Whoever read our output has read enough. */
export function isBrokenPipe(error: unknown): boolean {
  return (
    error instanceof Error &&
    'code' in error &&
    (error.code === 'EPIPE' || error.code === 'ERR_STREAM_DESTROYED')
  )
}
