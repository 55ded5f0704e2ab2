// A line to the mirror over a WebSocket: a ticket by HTTP, under the key, and with that the socket.
// Invariant: the key never stands in an address or a subprotocol, which servers write into their logs; a ticket does, and is
// good for one line and a few seconds.
import { DaybookError, isDaybookError, toDaybookError } from '../../core/errors.ts'
import type { Line, LineHooks } from '../../core/ports.ts'
import {
  closeCodes,
  liveProtocols,
  type Purpose,
  ticketAnswer,
  ticketPrefix,
  versionOf,
} from '../wire/live-wire.ts'

/** As much of `WebSocket` as this needs. */
export interface SocketLike {
  onopen: ((event: never) => void) | null
  onmessage: ((event: never) => void) | null
  onclose: ((event: never) => void) | null
  send(text: string): void
  close(code?: number): void
  readonly bufferedAmount: number
  /** The subprotocol that the mirror took. */
  readonly protocol?: string
}
export type OpenSocket = (url: string, protocols: string[]) => SocketLike

export interface LineOptions {
  /** The address of the line, with http. */
  readonly url: string
  /** Asks for a ticket, with the key. */
  ask(body: object): Promise<unknown>
  readonly socket: OpenSocket
}

/** A socket that holds back more bytes than this is as good as broken. */
const bufferLimitBytes = 65_536

export function openLiveLine(
  { url, ask, socket: open }: LineOptions,
  device: string,
  hooks: LineHooks,
  purposes: readonly Purpose[] = ['sync'],
): Line {
  let socket: SocketLike | undefined
  let done = false
  const end = (error: DaybookError) => {
    if (done) return
    done = true
    hooks.ended(error)
  }
  const start = async () => {
    const given = await askTicket(ask, device, purposes)
    const answer = ticketAnswer.safeParse(given.answer).data
    if (done) return
    if (!answer) throw new DaybookError('protocol-error')
    const opened = open(url.replace(/^http/i, 'ws'), [...liveProtocols, `${ticketPrefix}${answer.ticket}`])
    socket = opened
    opened.onopen = () => {
      if (!done)
        hooks.opened(
          versionOf(liveProtocols.find((one) => one === opened.protocol) ?? 'daybook.live.1'),
          given.purposes,
        )
    }
    opened.onmessage = (event) => {
      const { data } = event as { readonly data: unknown }
      if (!done && typeof data === 'string') hooks.received(data)
    }
    // An error is always followed by this.
    opened.onclose = (event) => {
      const { code } = event as { readonly code: number }
      // Another line of this device took its place: two would go on replacing each other.
      if (code === closeCodes.replaced)
        end(new DaybookError('conflict', 'Another line of this device is open.'))
      else if (code === closeCodes.erased) end(new DaybookError('book-erased'))
      else end(new DaybookError('offline', `The line ended with code ${code}.`))
    }
  }
  start().catch((error: unknown) => end(toDaybookError(error)))
  return {
    send(text) {
      if (!socket || done) return
      if (socket.bufferedAmount <= bufferLimitBytes) return socket.send(text)
      socket.close()
      end(new DaybookError('offline', 'The line takes nothing any more.'))
    },
    close() {
      done = true
      socket?.close(1000)
    },
  }
}

interface Given {
  readonly answer: unknown
  readonly purposes: readonly Purpose[]
}

/**
 * A mirror from before there were purposes takes no ticket that names one, and one that is for more than the key may is
 * refused: what is given then is for `sync`.
 */
async function askTicket(
  ask: LineOptions['ask'],
  device: string,
  purposes: readonly Purpose[],
): Promise<Given> {
  const plain = async (): Promise<Given> => ({ answer: await ask({ device }), purposes: ['sync'] })
  const isPlain = purposes.every((one) => one === 'sync')
  if (isPlain) return plain()
  try {
    return { answer: await ask({ device, for: purposes }), purposes }
  } catch (error) {
    const isTooMuch = isDaybookError(error, 'invalid-input') || isDaybookError(error, 'forbidden')
    if (!isTooMuch || !purposes.includes('sync')) throw error
    return plain()
  }
}
