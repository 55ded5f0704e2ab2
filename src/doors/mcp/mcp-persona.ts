// The persona and the session of one MCP connection: later calls of personas and of the meeting room are made as that
// persona, so several connections to a book are several personas at once.
// Invariant: calls of other verbs stay in the name of the connection, with its rights.
import { DaybookError } from '../../core/errors.ts'
import { isJsonObject } from '../../core/json/path.ts'
import type { McpBook, McpCallOptions } from './mcp-book.ts'

export class McpPersona {
  readonly #book: McpBook
  /** Name and agent of the registered persona. */
  #persona: { readonly name: unknown; readonly agent: string } | undefined
  #session: string | undefined
  /** The book, as the server of this connection uses it. */
  readonly book: McpBook

  constructor(book: McpBook) {
    this.#book = book
    this.book = { ...book, call: (id, input, options) => this.#call(id, input, options) }
  }

  /** Ends the session, if the connection has one. */
  async end(): Promise<void> {
    if (this.#session !== undefined) await this.#call('katra:session_end', {})
  }

  async #call(id: string, input: unknown, options: McpCallOptions = {}): Promise<unknown> {
    if (id === 'katra:register') this.#checkFree(input)
    const answer = await this.#book.call(id, input, { ...options, ...this.#scopeOf(id) })
    return isJsonObject(answer) ? this.#learn(id, answer) : answer
  }

  /** Throws `conflict` if another persona is in a session here. */
  #checkFree(input: unknown): void {
    const { name } = this.#persona ?? {}
    if (this.#session === undefined || (isJsonObject(input) && input['name'] === name)) return
    throw new DaybookError('conflict', `${String(name)} is in a session here: end it first.`, {
      details: { reason: 'already-initialized', path: 'name', session: this.#session },
    })
  }

  /** A persona is registered and starts its session in the name of the connection; all else it does as itself. */
  #scopeOf(id: string): Pick<McpCallOptions, 'scope'> {
    const isOwn = id.startsWith('katra:') || id.startsWith('room:')
    if (!this.#persona || !isOwn || id === 'katra:register') return {}
    const session = this.#session === undefined ? {} : { session: this.#session }
    return id === 'katra:session_start'
      ? { scope: session }
      : { scope: { agent: this.#persona.agent, ...session } }
  }

  /** Notes the persona and the session of an answer. Returns what the caller gets. */
  #learn(id: string, answer: Readonly<Record<string, unknown>>): unknown {
    const { name, scope, session } = answer
    if (id === 'katra:register' || id === 'katra:session_start')
      this.#persona = { name, agent: String((scope as { agent?: unknown }).agent) }
    if (id === 'katra:session_start') this.#session = String(session)
    if (id === 'katra:session_end' && session === this.#session) this.#session = undefined
    // Not the session of another connection of the same persona.
    if (id === 'katra:whoami' && this.#persona) return { ...answer, session: this.#session ?? null }
    return answer
  }
}
