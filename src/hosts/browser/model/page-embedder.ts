// Starts and ends the worker of a local model, in the page. Only `localEmbedder` imports the files that start
// a model, so that other books don't load them.
import { transfer } from 'comlink'
import { DaybookError } from '../../../core/errors.ts'

/** Starts and ends the worker of a local model; the engine's worker calls these functions. */
export interface PageEmbedder {
  /**
   * Ends the current model worker, starts a new one, and returns a port to it. Calls `failed` if the script
   * can't run. Throws `invalid-input` if `start` returned no Worker.
   */
  start(failed: (why: string) => void): MessagePort
  end(): void
}

/** `start` must return a new Worker; `localEmbedder` makes this function. */
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
      // `model-worker.ts` takes the port of its first message, and doesn't read the text.
      started.postMessage('line', [port1])
      return transfer(port2, [port2])
    },
    end,
  }
}
