// The page's part in a local model: it starts the worker when the engine asks for it, and ends it with the engine.
// The engine's own worker can't: what starts a model must not be in the files of those who have none.
import { transfer } from 'comlink'
import { DaybookError } from '../../../core/errors.ts'

/** What the engine's worker may ask of its page. */
export interface PageEmbedder {
  /** Starts the worker and answers the line to it; `failed` is told when its script can't be run. Ends an earlier one. */
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
        throw new DaybookError('invalid-input', '`embedder.start`: a worker is wanted.', {
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
