// A page of the browser tests outlives a cut of its connection to the runner. Vitest's client connects again, but waits for ever for the
// answers to what went over the old connection: all tests have passed, and the run never ends. So whatever was not answered goes again.
import { client } from '@vitest/browser/client'

/** What was sent and not answered, or could not be sent, by the id of the call, or by itself if it asks for no answer. */
const open = new Map<string, string>()

/** The id of a call or of an answer. Messages are in the notation of `flatted`: a list of values that name each other by place. */
function idOf(text: string): string | undefined {
  const values = JSON.parse(text) as readonly [{ readonly i?: string }, ...unknown[]]
  const [{ i }] = values
  return i === undefined ? undefined : String(values[Number(i)])
}

function keep(socket: WebSocket): void {
  const send = socket.send.bind(socket)
  const isOpen = () => socket.readyState === WebSocket.OPEN
  socket.send = (text: string) => {
    const id = idOf(text)
    if (id !== undefined || !isOpen()) open.set(id ?? text, text)
    if (isOpen()) send(text)
  }
  socket.addEventListener('message', ({ data }) => open.delete(idOf(String(data)) ?? ''))
  socket.addEventListener('open', () => {
    for (const [key, text] of open) {
      send(text)
      if (key === text) open.delete(key)
    }
  })
}

let current = client.ws
keep(current)
Object.defineProperty(client, 'ws', {
  get: () => current,
  set(socket: WebSocket) {
    current = socket
    keep(socket)
  },
})
