// A TCP port of this machine that nobody listens on at the moment, nor is given by the system until it is taken: that gives
// away ports from 32768 up, and a server that is told of this one needs seconds to begin.
import { once } from 'node:events'
import { createServer } from 'node:net'

const [first, count] = [20_000, 12_000]

export async function freePort(): Promise<number> {
  const port = first + Math.floor(Math.random() * count)
  const server = createServer().listen(port, '127.0.0.1')
  const isFree = await once(server, 'listening').then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE' || error.code === 'EACCES') return false
      throw error
    },
  )
  if (!isFree) return freePort()
  server.close()
  await once(server, 'close')
  return port
}
