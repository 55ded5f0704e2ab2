// Polls resources and compares their states, for clients that listen over HTTP, where the book sends no changes.
// Invariant: each read has the caller's rights and counts as the caller's call. Polling ends with the stream; the
// stream ends when the caller's key or token expires.
import type { ServerEventBus } from '@modelcontextprotocol/server'
import { type DaybookError, isDaybookError } from '../../core/errors.ts'
import type { McpResource } from './tool-set.ts'

export interface ResourceWatchDeps {
  readonly resources: readonly McpResource[]
  /** Reads a resource with the caller's rights. */
  read(resource: McpResource): Promise<unknown>
  /** Runs `work` after `ms` milliseconds. Returns a function that cancels it. */
  later(ms: number, work: () => void): () => void
}

export interface ResourceWatch {
  /** Reads the first state of each resource. Call it before a client listens, so that no later change is missed. */
  readFirstStates(): Promise<void>
  /** Notifies its listeners of changed resources. Polling runs while a listener is subscribed. */
  readonly bus: ServerEventBus
  /** Calls `end` with the error when the caller is no longer authorised. */
  onEnd(end: (error: DaybookError) => void): void
}

const pollIntervalMs = 2000

export function createResourceWatch({ resources, read, later }: ResourceWatchDeps): ResourceWatch {
  // Resources without kinds get no updates.
  const watched = resources.filter(({ kinds }) => kinds.length > 0)
  /** The state that was last read, by URI. */
  const states = new Map<string, string>()
  const endListeners: ((error: DaybookError) => void)[] = []
  /**
   * Reads the state of a resource. A refusal is a state too, so the client learns of it when it reads the resource
   * again.
   */
  const stateOf = async (resource: McpResource): Promise<string> => {
    try {
      return JSON.stringify(await read(resource))
    } catch (error) {
      if (isDaybookError(error, 'forbidden') || isDaybookError(error, 'consent-required')) return error.code
      throw error
    }
  }
  /** Returns the URIs of resources that changed since the last call. */
  const readChangedUris = async (): Promise<readonly string[]> => {
    const changed: string[] = []
    for (const resource of watched) {
      const { uri } = resource
      const state = await stateOf(resource)
      if (states.has(uri) && states.get(uri) !== state) changed.push(uri)
      states.set(uri, state)
    }
    return changed
  }
  return {
    readFirstStates: async () => void (await readChangedUris()),
    onEnd: (end) => void endListeners.push(end),
    bus: {
      // Other code must not publish: only polling notifies.
      publish: () => undefined,
      subscribe(listener) {
        let isOver = watched.length === 0
        let cancel = () => {}
        const pollLater = () => {
          if (!isOver) cancel = later(pollIntervalMs, () => void poll())
        }
        const poll = async () => {
          try {
            for (const uri of await readChangedUris())
              if (!isOver) listener({ kind: 'resource_updated', uri })
          } catch (error) {
            // Other errors are temporary, such as a rate limit or an unavailable database: poll again.
            if (isDaybookError(error, 'unauthorized')) {
              isOver = true
              for (const end of endListeners) end(error)
            }
          }
          pollLater()
        }
        pollLater()
        return () => {
          isOver = true
          cancel()
        }
      },
    },
  }
}
