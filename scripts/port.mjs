// Ports that the user may choose: read from the environment, and checked before use.
import { createServer } from 'node:net'

export const host = '127.0.0.1'

/** @param {string} variable @param {number} fallback */
export function readPort(variable, fallback) {
  const text = process.env[variable] ?? String(fallback)
  const port = Number(text)
  if (!Number.isInteger(port) || port < 1 || port > 65_535) {
    throw new Error(`${variable}=${text} is not a port: use a number from 1 to 65535.`)
  }
  return port
}

/** @param {string} variable @param {number} port @param {string} name @param {string} [command] */
export async function requireFreePort(variable, port, name, command = 'npm start') {
  const server = createServer()
  /** @type {string | undefined} */
  const code = await new Promise((resolve) => {
    server.once('error', (/** @type {NodeJS.ErrnoException} */ error) => resolve(error.code ?? 'unknown'))
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(undefined)))
  })
  if (code === undefined) return
  const reason = code === 'EADDRINUSE' ? 'is taken' : `cannot be opened (${code})`
  throw new Error(
    `Port ${port} for the ${name} ${reason}. Choose another: ${variable}=${port + 1} ${command}`,
  )
}
