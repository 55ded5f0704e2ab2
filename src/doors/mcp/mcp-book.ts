// The part of a book that the MCP server uses, on any host.
import type { GuardedVerb } from '../../core/access/permission.ts'
import type { AbortSignalLike } from '../../core/abort.ts'
import type { Progress } from '../../core/capability/task.ts'
import type { DaybookError } from '../../core/errors.ts'
import type { CallScope } from '../../core/record.ts'

export interface McpCallOptions {
  /** Makes a write safe to retry: a call with a known id takes effect once. */
  readonly requestId?: string
  readonly signal?: AbortSignalLike
  /** The persona and the session of the call. Default: the caller's. */
  readonly scope?: CallScope
  /** Called with the progress of a long call, if the host reports progress. */
  readonly onProgress?: (step: Progress) => void
}

export interface McpRights {
  mayCall(verb: GuardedVerb): boolean
  /** Calls `listener` when rights may have changed. Returns a function that unsubscribes. */
  onChange(listener: () => void): () => void
}

export interface McpBook {
  /** The place where calls run. A mirror does not offer verbs that need a device. */
  readonly place: 'device' | 'mirror'
  call(id: string, input: unknown, options?: McpCallOptions): Promise<unknown>
  /** Throws if the caller may not call the verb. Absent: every caller has the same rights. */
  assertMayCall?(id: string): Promise<void>
  /** Returns milliseconds since 1970 UTC. */
  now(): number
  /**
   * Calls `listener` with the kinds of changed records that the caller may read. Returns a function that
   * unsubscribes. Absent: the host reports no changes.
   */
  onChange?(listener: (kinds: readonly string[]) => void): () => void
  /**
   * Decides about a proposal in the owner's name. Only for the answer of a person, whom the host asked. Absent: nobody
   * decides over this connection.
   */
  decide?(decision: { readonly id: string; readonly action: 'approve' | 'reject' }): Promise<{
    readonly status: string
  }>
  /** The caller's rights. Tools that the caller may not call are not listed. Absent: all tools are listed. */
  readonly rights?: McpRights
  /** Called with an internal error, whose details the client does not get. */
  onFault?(error: DaybookError): void
}

/** The MCP library, loaded on first use. */
export type Mcp = typeof import('@modelcontextprotocol/server')

export const loadMcp = (): Promise<Mcp> => import('@modelcontextprotocol/server')
