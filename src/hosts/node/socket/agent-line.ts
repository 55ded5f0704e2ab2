// A P3394 agent on the socket of a book. Each message gets one answer, in any order, whether it comes alone or as
// `{ t: 'envelope', envelope }` (no envelope of the pool). `{ t: 'auth', token }` may come first.
// Invariant: the agent has the owner's rights, because a user who can open the socket can open the file. A token
// reduces the rights of all later messages; none restores them.
import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { checkCallScope } from '../../../core/book.ts'
import { isJsonObject } from '../../../core/json/path.ts'
import { DaybookError, toDaybookError } from '../../../core/errors.ts'
import { parseWith } from '../../../core/schema.ts'
import { type MessageAnswer, answerEitherForm, toErrorAnswer } from '../../../doors/p3394/answer-agent.ts'
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
  /** Number of messages in progress. */
  #waiting = 0
  #bearer: string | undefined
  /** The check of the token. Later messages wait for it. */
  #admitted: Promise<unknown> = Promise.resolve()

  constructor(line: FrameLine, parts: AgentLineParts) {
    this.#line = line
    this.#parts = parts
  }

  /** Throws for an invalid credential; the connection is unusable then. */
  hear(message: unknown): void {
    if (isJsonObject(message) && message['t'] === 'auth') return this.#present(parseWith(auth, message).token)
    const { work } = this.#parts
    const bearer = this.#bearer
    this.#waiting += 1
    if (this.#waiting >= messageLimit) this.#line.pause(true)
    const answering = this.#answer(message, bearer)
    work.add(answering)
    void answering.finally(() => {
      work.delete(answering)
      this.#waiting -= 1
      this.#line.pause(false)
    })
  }

  /** Checks the token of the agent; ends the connection if it is not valid. */
  #present(token: string): void {
    if (this.#bearer !== undefined)
      throw new DaybookError('unauthorized', 'This connection already has a token.')
    this.#bearer = token
    this.#admitted = this.#parts.owned.engine.admit({ bearer: token })
    this.#admitted.catch((error: unknown) => {
      this.#line.post({ t: 'error', error: toDaybookError(error).toJSON() })
      this.#line.end()
    })
  }

  async #answer(message: unknown, bearer: string | undefined): Promise<void> {
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
        if (bearer !== undefined) return owned.engine.call(id, input, { requestId, bearer })
        // Throws `locked` if a passphrase opened the keys: an agent can't send one.
        await checkPassphrase(owned, undefined)
        return owned.engine.call(id, input, { requestId, ...(from ? { scope: checkCallScope(from) } : {}) })
      },
    })
    try {
      this.#line.post(wrap(answer))
    } catch (error) {
      this.#line.post(wrap(toErrorAnswer(answer, toDaybookError(error).toJSON())))
    }
  }
}
