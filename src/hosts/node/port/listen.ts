// Starts a server on a port, and says why if it can't listen there.
import type { Server } from 'node:net'
import { hostInUrl } from '../../../core/address.ts'
import { invalidInput } from '../../../core/errors.ts'

/** Rejects with `invalid-input` if the port or the host can't be used; then the server is closed. */
export function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      server.close()
      reject(listenFault(cause, port, host))
    })
    server.listen(port, host, resolve)
  })
}

function listenFault(cause: NodeJS.ErrnoException, port: number, host: string): Error {
  switch (cause.code) {
    case 'EADDRINUSE':
      return invalidInput(
        'port',
        `Another program listens on ${hostInUrl(host)}:${port}. Name another port, or 0 for any free one.`,
        { cause },
      )
    case 'EACCES':
      return invalidInput(
        'port',
        `The system does not let this user listen on port ${port}. Name a higher one.`,
        {
          cause,
        },
      )
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return invalidInput('host', 'is no address of this machine', { cause })
    default:
      return cause
  }
}
