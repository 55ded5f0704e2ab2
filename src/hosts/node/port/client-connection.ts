// One connection to an HTTP server: its requests take turns, and what it may leave undone has an end.
// Invariant: one answer is made at a time, so a client that sends requests and reads no answers costs one answer.
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { ServerLimits } from './server-limits.ts'

/** Requests that may wait while one is answered. Browsers, fetch and proxies send none before they have the answer. */
const pipelineLimit = 16

type Times = Pick<ServerLimits, 'headersMs' | 'idleMs' | 'unreadMs'>

export class ClientConnection {
  readonly #socket: Socket
  readonly #times: Times
  readonly #silence: NodeJS.Timeout
  #waiting: (() => void)[] = []
  #isAnswering = false
  #isUpgraded = false
  #isUnread = false

  constructor(socket: Socket, times: Times) {
    this.#socket = socket
    this.#times = times
    this.#silence = setTimeout(() => this.end(), times.headersMs).unref()
    socket.once('close', () => clearTimeout(this.#silence))
  }

  get isEnded(): boolean {
    return this.#socket.destroyed
  }

  /** It waits for its first request or its next. */
  get isIdle(): boolean {
    return !this.#isAnswering && !this.#isUpgraded
  }

  /** It waits for its client to read. */
  get isUnread(): boolean {
    return this.#isAnswering && this.#socket.writableLength > 0
  }

  end(): void {
    this.#waiting = []
    this.#socket.destroy()
  }

  /** From now on it is a WebSocket, with limits of its own. */
  upgraded(): void {
    clearTimeout(this.#silence)
    this.#isUpgraded = true
  }

  /** Has `answer` answer once what was asked before it on this connection is answered and taken. */
  take(response: ServerResponse, answer: () => void): void {
    clearTimeout(this.#silence)
    if (this.isEnded) return
    if (!this.#isAnswering) this.#begin(response, answer)
    else if (this.#waiting.length < pipelineLimit) this.#waiting.push(() => this.#begin(response, answer))
    else this.end()
  }

  /** Gives a client that does not read less time than one whose answer is being made. */
  watch(): void {
    if (this.isUnread === this.#isUnread) return
    this.#isUnread = this.isUnread
    // Between two requests the server itself has set how long it waits.
    if (this.#isAnswering) this.#socket.setTimeout(this.#isUnread ? this.#times.unreadMs : this.#times.idleMs)
  }

  #begin(response: ServerResponse, answer: () => void): void {
    this.#isAnswering = true
    response.once('close', () => {
      this.#isAnswering = false
      if (!this.isEnded) this.#waiting.shift()?.()
    })
    answer()
  }
}
