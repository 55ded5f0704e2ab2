// The client of messages in Node, where there are Unix sockets, servers over standard input and output, and books in files.
import { type ClientOptions, DaybookClient as AnyClient } from '../../../doors/p3394/client.ts'
import { createSocketTransport } from './socket-transport.ts'

export interface NodeClientOptions extends ClientOptions {
  /** The path of a socket, asked before an address is. `key` is presented there too. */
  readonly socket?: string
}

export class DaybookClient extends AnyClient {
  constructor({ socket, transports = [], ...options }: NodeClientOptions = {}) {
    const { key } = options
    const ways = socket === undefined ? [] : [createSocketTransport({ path: socket, token: key })]
    super({ ...options, transports: [...transports, ...ways] })
  }
}
