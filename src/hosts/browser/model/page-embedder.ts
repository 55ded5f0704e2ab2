// Starts and ends the worker of a local model for the engine. The page does it because books without a local
// model must not load the files that start one.
import { transfer } from 'comlink'
import { DaybookError } from '../../../core/errors.ts'

/** Called by the engine's worker. */
export interface PageEmbedder {
  /**
   * Starts the worker and returns a port to it; calls `failed` if its script can't run. Ends an earlier one.
   */
  start(failed: (why: string) => void): MessagePort
  end(): void
}

/** `start` comes from `localEmbedder`. */
export function createPageEmbedder(start: () => unknown): PageEmbedder {
  let worker: Worker | undefined
  const end = () => {
    worker?.terminate()
    worker = undefined
  }
  return {
    start(failed) {
      end()
      const started = start()
      if (!(started instanceof Worker)) {
        throw new DaybookError('invalid-input', '`embedder.start` must return a Worker.', {
          details: { path: 'embedder.start' },
        })
      }
      worker = started
      started.addEventListener('error', ({ message }) => {
        failed(
          message
            ? `The worker of its model failed: ${message}`
            : 'The script of its worker could not be loaded.',
        )
      })
      const { port1, port2 } = new MessageChannel()
      started.postMessage('line', [port1])
      return transfer(port2, [port2])
    },
    end,
  }
}
