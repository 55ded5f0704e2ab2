// The client of P3394 messages in Node, which adds a Unix socket to the transports.
import { optionsOf, textOption } from '../../../core/option-check.ts'
import {
  type ClientOptions,
  clientOptionTable,
  DaybookClient as AnyClient,
} from '../../../doors/p3394/client.ts'
import { createSocketTransport } from './socket-transport.ts'

export interface NodeClientOptions extends ClientOptions {
  /** Path of a Unix socket, used before a URL. `key` is sent to this socket too. */
  readonly socket?: string
}

const checkOptions = optionsOf<NodeClientOptions>({ ...clientOptionTable, socket: textOption() })

export class DaybookClient extends AnyClient {
  constructor(given: NodeClientOptions = {}) {
    checkOptions(given, '')
    const { socket, transports = [], ...options } = given
    const { key } = options
    const own = socket === undefined ? [] : [createSocketTransport({ path: socket, token: key })]
    super({ ...options, transports: [...transports, ...own] })
  }
}
