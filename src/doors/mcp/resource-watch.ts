// What changed of resources, for those who listen over HTTP, where no book says what changes: they are read again and compared.
// Invariant: what is read is read as the caller who listens, and paid for by that caller; it ends with the stream, and once
// the caller's key or token has ended the stream ends with it.
import type { ServerEventBus } from '@modelcontextprotocol/server'
import { type DaybookError, isDaybookError } from '../../core/errors.ts'
import type { McpResource } from './tool-resource.ts'

export interface ResourceWatchParts {
  readonly resources: readonly McpResource[]
  /** A resource as the caller may read it now. */
  read(resource: McpResource): Promise<unknown>
  /** Runs `work` after so many milliseconds; answers how to have it not run. */
  later(ms: number, work: () => void): () => void
}

export interface ResourceWatch {
  /** Reads what there is before somebody listens, so that no change after that is missed. */
  begin(): Promise<void>
  /** Tells listeners of each change. */
  readonly bus: ServerEventBus
  /** Calls `ended` once the caller may listen no more, with why. */
  onEnd(ended: (error: DaybookError) => void): void
}

const everyMs = 2000

export function createResourceWatch({ resources, read, later }: ResourceWatchParts): ResourceWatch {
  const watched = resources.filter(({ kinds }) => kinds.length > 0)
  const known = new Map<string, string>()
  const ends: ((error: DaybookError) => void)[] = []
  /** What may not be read now is one state more: whoever reads it again learns why. */
  const stateOf = async (resource: McpResource): Promise<string> => {
    try {
      return JSON.stringify(await read(resource))
    } catch (error) {
      if (isDaybookError(error, 'forbidden') || isDaybookError(error, 'consent-required')) return error.code
      throw error
    }
  }
  /** Which of them are others than they were. */
  const look = async (): Promise<readonly string[]> => {
    const changed: string[] = []
    for (const resource of watched) {
      const { uri } = resource
      const now = await stateOf(resource)
      if (known.has(uri) && known.get(uri) !== now) changed.push(uri)
      known.set(uri, now)
    }
    return changed
  }
  return {
    begin: async () => void (await look()),
    onEnd: (ended) => void ends.push(ended),
    bus: {
      // Nobody but the book itself says something here.
      publish: () => undefined,
      subscribe(listener) {
        let isOver = watched.length === 0
        let cancel = () => {}
        const again = () => {
          if (!isOver) cancel = later(everyMs, () => void turn())
        }
        const turn = async () => {
          try {
            for (const uri of await look()) if (!isOver) listener({ kind: 'resource_updated', uri })
          } catch (error) {
            // Anything else passes: a caller who asks too much, a database that is away.
            if (isDaybookError(error, 'unauthorized')) {
              isOver = true
              for (const ended of ends) ended(error)
            }
          }
          again()
        }
        again()
        return () => {
          isOver = true
          cancel()
        }
      },
    },
  }
}
