// The book as MCP needs it, on any host.
import type { GuardedVerb } from '../../core/access/permission.ts'
import type { AbortSignalLike } from '../../core/abort.ts'
import type { Progress } from '../../core/capability/task.ts'
import type { DaybookError } from '../../core/errors.ts'

export interface McpCallOptions {
  /** Makes a write safe to retry. */
  readonly requestId?: string
  readonly signal?: AbortSignalLike
  /** Called with the progress of long work, if the host reports it. */
  readonly progress?: (step: Progress) => void
}

export interface McpRights {
  mayCall(verb: GuardedVerb): boolean
  /** Calls `listener` when rights may have changed; answers a function that stops. */
  onChange(listener: () => void): () => void
}

export interface McpBook {
  /** The place of execution. A mirror does not offer verbs that need a device. */
  readonly place: 'device' | 'mirror'
  call(id: string, input: unknown, options?: McpCallOptions): Promise<unknown>
  /** Throws unless the caller may call the verb. Absent if callers don't differ. */
  admit?(id: string): Promise<void>
  /** Milliseconds since 1970 UTC. */
  now(): number
  /** Calls `listener` with the kinds of changed records that the caller may read; answers a function that stops. */
  onChange?(listener: (kinds: readonly string[]) => void): () => void
  /** The caller's rights, if limited. Tools without the right are not listed. */
  readonly rights?: McpRights
  /** Called with a fault of Daybook itself. The client gets no details. */
  onFault?(error: DaybookError): void
}

/** The library of the protocol, loaded on first use. */
export type Mcp = typeof import('@modelcontextprotocol/server')

export const loadMcp = (): Promise<Mcp> => import('@modelcontextprotocol/server')
