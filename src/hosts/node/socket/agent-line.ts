// A P3394 agent on the socket of a book. Each message gets one answer, in any order, whether it comes alone or as
// `{ t: 'envelope', envelope }` (no envelope of the pool). `{ t: 'auth', token }` may come first.
// Invariant: the agent has the owner's rights, because a user who can open the socket can open the file. A token
// reduces the rights of all later messages; none restores them.
// Invariant: a connection is one agent, with a persona and a session of its own, which end with the connection.
import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { checkCallScope } from '../../../core/book.ts'
import { defined } from '../../../core/defined.ts'
import { isJsonObject } from '../../../core/json/path.ts'
import { DaybookError, toDaybookError } from '../../../core/errors.ts'
import { parseWith } from '../../../core/schema.ts'
import { hostAgentName } from '../../../doors/mcp/agent-name.ts'
import type { McpBook } from '../../../doors/mcp/mcp-book.ts'
import { isOfPersonas, McpPersona } from '../../../doors/mcp/mcp-persona.ts'
import {
  type MessageAnswer,
  answerEitherForm,
  senderOf,
  toErrorAnswer,
} from '../../../doors/p3394/answer-agent.ts'
import { type AgentLease, leaseAgent } from './agent-lease.ts'
import type { FrameLine } from './frame-line.ts'
import { checkPassphrase, type OwnedBook } from './owned-book.ts'

export interface AgentLineParts {
  readonly owned: OwnedBook
  /** Answers in progress, for which the server waits when it closes. */
  readonly work: Set<Promise<void>>
}

/** Messages in progress at once; more wait. */
const messageLimit = 64
const auth = z.strictObject({ t: z.literal('auth'), token: z.string().min(1).max(100_000) })

export class AgentLine {
  readonly #line: FrameLine
  readonly #parts: AgentLineParts
  /** Names this connection in the meeting room. */
  readonly #tab = randomUUID()
  /** Answers in progress. */
  readonly #answers = new Set<Promise<void>>()
  #bearer: string | undefined
  /** The check of the token. Later messages wait for it. */
  #admitted: Promise<unknown> = Promise.resolve()
  /** The sender of the first message, and the name that it got. */
  #agent: { readonly sender: string | undefined; readonly lease: AgentLease } | undefined
  #persona: McpPersona

  constructor(line: FrameLine, parts: AgentLineParts) {
    this.#line = line
    this.#parts = parts
    this.#persona = new McpPersona(this.#bookFor(undefined))
  }

  /** Throws for an invalid credential; the connection is unusable then. */
  hear(message: unknown): void {
    if (isJsonObject(message) && message['t'] === 'auth') return this.#present(parseWith(auth, message).token)
    const { work } = this.#parts
    const answering = this.#answer(message, this.#bearer, this.#persona)
    work.add(answering)
    this.#answers.add(answering)
    if (this.#answers.size >= messageLimit) this.#line.pause(true)
    void answering.finally(() => {
      work.delete(answering)
      this.#answers.delete(answering)
      this.#line.pause(false)
    })
  }

  /** The connection has ended: ends its session, leaves the room and frees the name, after the last answers. */
  end(): void {
    const { work } = this.#parts
    const ending = this.#end(this.#persona)
    work.add(ending)
    void ending.finally(() => work.delete(ending))
  }

  async #end(persona: McpPersona): Promise<void> {
    await Promise.allSettled(this.#answers)
    // A book that is closing can end no session: the next owner ends it.
    await persona.end().catch(() => undefined)
    this.#parts.owned.engine.room.leaveTab(this.#tab)
    this.#agent?.lease.end()
  }

  /** Checks the token of the agent; ends the connection if it is not valid. */
  #present(token: string): void {
    if (this.#bearer !== undefined)
      throw new DaybookError('unauthorized', 'This connection already has a token.')
    this.#bearer = token
    // The owner's persona does not pass to the holder of a token.
    void this.#persona.end().catch(() => undefined)
    this.#persona = new McpPersona(this.#bookFor(token))
    this.#admitted = this.#parts.owned.engine.admit({ bearer: token })
    this.#admitted.catch((error: unknown) => {
      this.#line.post({ t: 'error', error: toDaybookError(error).toJSON() })
      this.#line.end()
    })
  }

  async #answer(message: unknown, bearer: string | undefined, persona: McpPersona): Promise<void> {
    const { owned } = this.#parts
    const isWrapped = isJsonObject(message) && message['t'] === 'envelope'
    const content = isWrapped ? message['envelope'] : message
    const wrap = (one: MessageAnswer) => (isWrapped ? { t: 'envelope', envelope: one } : one)
    const answer = await answerEitherForm(content, {
      now: () => Date.now(),
      newId: randomUUID,
      admit: async (id) => {
        await this.#admitted
        if (bearer !== undefined) owned.engine.check(id, (await owned.engine.admit({ bearer })).caller)
      },
      // `from`: the sender that an envelope names. With a token, the token decides the scope instead.
      call: async (id, input, requestId, from) => {
        await this.#admitted
        this.#agent ??= this.#nameAgent(senderOf(content))
        // An envelope of another sender has no part in the persona of the connection.
        const isOwn = from === undefined || from.agent === this.#agent.sender
        const book = isOwn ? persona.book : this.#bookFor(bearer)
        // The agent of a call may not register a persona, the connection may.
        const isNamed = from && bearer === undefined && !(isOwn && isOfPersonas(id))
        return book.call(id, input, { requestId, ...(isNamed ? { scope: checkCallScope(from) } : {}) })
      },
    })
    try {
      this.#line.post(wrap(answer))
    } catch (error) {
      this.#line.post(wrap(toErrorAnswer(answer, toDaybookError(error).toJSON())))
    }
  }

  #nameAgent(sender: string | undefined) {
    return { sender, lease: leaseAgent(this.#parts.owned.path, hostAgentName(undefined, sender)) }
  }

  /** The book as the owner, or with the rights of the token, under the name of this connection. */
  #bookFor(bearer: string | undefined): McpBook {
    const { owned } = this.#parts
    return {
      place: 'device',
      now: () => Date.now(),
      call: async (id, input, { requestId, scope } = {}) => {
        // Throws `locked` if a passphrase opened the keys: an agent can't send one.
        if (bearer === undefined) await checkPassphrase(owned, undefined)
        const { name = '' } = this.#agent?.lease ?? {}
        const from = { tab: this.#tab, scope: { agent: name }, owner: true }
        return owned.engine.call(id, input, { from, ...defined({ requestId, scope, bearer }) })
      },
    }
  }
}
