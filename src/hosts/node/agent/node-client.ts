// The client of P3394 messages in Node, which adds a Unix socket to the transports.
import { type ClientOptions, DaybookClient as AnyClient } from '../../../doors/p3394/client.ts'
import { createSocketTransport } from './socket-transport.ts'

export interface NodeClientOptions extends ClientOptions {
  /** Path of a Unix socket, used before a URL. `key` is sent to this socket too. */
  readonly socket?: string
}

export class DaybookClient extends AnyClient {
  constructor({ socket, transports = [], ...options }: NodeClientOptions = {}) {
    const { key } = options
    const own = socket === undefined ? [] : [createSocketTransport({ path: socket, token: key })]
    super({ ...options, transports: [...transports, ...own] })
  }
}
