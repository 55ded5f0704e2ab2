// An agent that speaks P3394 over the socket of a book: each message, or `{ t: 'envelope', envelope }`, is answered with one,
// in any order; `{ t: 'auth', token }` comes before them, where it comes.
// Invariant: it is the owner, as whoever can open the socket can open the file; a token that it presents makes it less for
// good, and what it sends beside cannot take that back.
import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { checkCallScope } from '../../../core/book.ts'
import { isJsonObject } from '../../../core/json/path.ts'
import { DaybookError, toDaybookError } from '../../../core/errors.ts'
import { parseWith } from '../../../core/schema.ts'
import { type AgentAnswer, answerAgent, failedAnswer } from '../../../doors/p3394/answer-agent.ts'
import type { FrameLine } from './frame-line.ts'
import { keysProof, type OwnedBook } from './owned-book.ts'

export interface AgentLineParts {
  readonly owned: OwnedBook
  /** What is being answered. */
  readonly work: Set<Promise<void>>
}

/** Messages under way at once; who sends more waits. */
const waitingLimit = 64
const auth = z.strictObject({ t: z.literal('auth'), token: z.string().min(1).max(100_000) })

export class AgentLine {
  readonly #line: FrameLine
  readonly #parts: AgentLineParts
  #waiting = 0
  #bearer: string | undefined
  /** What is presented is looked at before anything that comes after it is done. */
  #admitted: Promise<unknown> = Promise.resolve()

  constructor(line: FrameLine, parts: AgentLineParts) {
    this.#line = line
    this.#parts = parts
  }

  /** Throws for a credential that is none: the connection is of no more use then. */
  hear(message: unknown): void {
    if (isJsonObject(message) && message['t'] === 'auth') return this.#present(parseWith(auth, message).token)
    const { work } = this.#parts
    const bearer = this.#bearer
    this.#waiting += 1
    if (this.#waiting >= waitingLimit) this.#line.pause(true)
    const answering = this.#answer(message, bearer)
    work.add(answering)
    void answering.finally(() => {
      work.delete(answering)
      this.#waiting -= 1
      this.#line.pause(false)
    })
  }

  #present(token: string): void {
    if (this.#bearer !== undefined) throw new DaybookError('unauthorized', 'A token was presented already.')
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
    const given = isWrapped ? message['envelope'] : message
    const wrap = (one: AgentAnswer) => (isWrapped ? { t: 'envelope', envelope: one } : one)
    const answer = await answerAgent(given, {
      now: () => Date.now(),
      newId: randomUUID,
      admit: async (id) => {
        await this.#admitted
        if (bearer !== undefined) owned.engine.check(id, (await owned.engine.admit({ bearer })).caller)
      },
      call: async (id, input, requestId, from) => {
        await this.#admitted
        if (bearer !== undefined) return owned.engine.call(id, input, { requestId, bearer })
        await keysProof(owned, undefined)
        return owned.engine.call(id, input, { requestId, ...(from ? { scope: checkCallScope(from) } : {}) })
      },
    })
    try {
      this.#line.post(wrap(answer))
    } catch (error) {
      this.#line.post(wrap(failedAnswer(answer, toDaybookError(error).toJSON())))
    }
  }
}
