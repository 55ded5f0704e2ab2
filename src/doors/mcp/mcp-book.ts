// What MCP needs of a book, on whichever host: its verbs for the caller who came, the time, and what changes.
import type { Guarded } from '../../core/access/permission.ts'
import type { AbortSignalLike } from '../../core/abort.ts'
import type { Progress } from '../../core/capability/progress.ts'
import type { DaybookError } from '../../core/errors.ts'

export interface McpCallOptions {
  /** Makes a write safe to send again. */
  readonly requestId?: string
  readonly signal?: AbortSignalLike
  /** Told how far long work has come, where the host knows. */
  readonly progress?: (step: Progress) => void
}

export interface McpRights {
  mayCall(verb: Guarded): boolean
  /** Tells that it may be less or more now; answers how to stop. */
  onChange(listener: () => void): () => void
}

export interface McpBook {
  /** Where its verbs run: what a device alone can do is not offered at a mirror. */
  readonly place: 'device' | 'mirror'
  call(id: string, input: unknown, options?: McpCallOptions): Promise<unknown>
  /** Throws unless the caller may call the verb, where callers differ. */
  admit?(id: string): Promise<void>
  /** Milliseconds since 1970 UTC. */
  now(): number
  /** Tells that records of these kinds changed, as far as the caller may read them; answers how to stop. */
  onChange?(listener: (kinds: readonly string[]) => void): () => void
  /** What the caller may call, where that is less than everything; other tools are not listed. */
  readonly rights?: McpRights
  /** Told of a fault of Daybook itself; the client learns no more than that there was one. */
  onFault?(error: DaybookError): void
}
