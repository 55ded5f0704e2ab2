// The persona and the session of one MCP connection: later calls of personas and of the meeting room are made as that
// persona, so several connections to a book are several personas at once.
// Invariant: calls of other verbs stay in the name of the connection, with its rights.
import { DaybookError, type ErrorCode, isDaybookError } from '../../core/errors.ts'
import { isJsonObject } from '../../core/json/path.ts'
import type { McpBook, McpCallOptions } from './mcp-book.ts'

export class McpPersona {
  readonly #book: McpBook
  /** Name and agent of the registered persona. */
  #persona: { readonly name: unknown; readonly agent: string } | undefined
  #session: string | undefined
  /** Finds persona and session of a connection whose earlier requests another object served. */
  #finding: Promise<void> | undefined
  readonly #isResumed: boolean
  /** The book, as the server of this connection uses it. */
  readonly book: McpBook

  /** `isResumed`: this connection may have registered a persona before, as over HTTP. */
  constructor(book: McpBook, { isResumed = false } = {}) {
    this.#book = book
    this.#isResumed = isResumed
    this.book = { ...book, call: (id, input, options) => this.#call(id, input, options) }
  }

  /** Ends the session, if the connection has one. */
  async end(): Promise<void> {
    await this.#find()
    if (this.#session !== undefined) await this.#call('katra:session_end', {})
  }

  async #call(id: string, input: unknown, options: McpCallOptions = {}): Promise<unknown> {
    if (!isOfPersonas(id)) return this.#book.call(id, input, options)
    await this.#find()
    if (id === 'katra:register') this.#checkFree(input)
    const answer = await this.#book.call(id, input, { ...options, ...this.#scopeOf(id) })
    return isJsonObject(answer) ? this.#learn(id, answer) : answer
  }

  #find(): Promise<void> | undefined {
    if (this.#isResumed) this.#finding ??= this.#resume()
    return this.#finding
  }

  async #resume(): Promise<void> {
    try {
      const found = await this.#book.call('katra:whoami', {})
      if (!isJsonObject(found)) return
      this.#learn('katra:register', found)
      if (typeof found['session'] === 'string') this.#session = found['session']
    } catch (error) {
      // It has registered none, or may not read any.
      if (
        !['conflict', 'forbidden', 'consent-required'].some((code) =>
          isDaybookError(error, code as ErrorCode),
        )
      )
        throw error
    }
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
    if (!this.#persona || id === 'katra:register') return {}
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
    if (id === 'katra:whoami' && this.#persona) {
      const { alsoIn } = answer as { readonly alsoIn: readonly string[] }
      const all = [session, ...alsoIn].filter((one) => typeof one === 'string' && one !== this.#session)
      return { ...answer, session: this.#session ?? null, alsoIn: all }
    }
    return answer
  }
}

/** True for the verbs that a connection calls as its persona. */
export const isOfPersonas = (id: string): boolean => id.startsWith('katra:') || id.startsWith('room:')
