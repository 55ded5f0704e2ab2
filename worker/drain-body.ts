// Reads what is left of a body that was refused unread, before the answer goes: workerd resets a connection on which a client
// is still sending, and the client then never reads why it was refused.
// Invariant: a client that sends slowly, or without end, holds its request for a bounded time only.

/** As much as is read of a body that nobody wants, and for how long. */
const drainLimitBytes = 16_000_000
const drainMs = 10_000

/** The answer, once the request has come to its end or is more than it is worth. */
export async function onceRead(request: Request, answer: Response | Promise<Response>): Promise<Response> {
  const response = await answer
  // Somebody may still read it, as where a socket was opened.
  if (request.body && !request.body.locked) await drain(request.body)
  return response
}

async function drain(body: ReadableStream<Uint8Array>): Promise<void> {
  const reader = body.getReader()
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    reader.cancel().catch(() => undefined)
  }, drainMs)
  try {
    for (let bytes = 0; !isLate && bytes <= drainLimitBytes;) {
      const { done, value } = await reader.read()
      if (done) return
      bytes += value.byteLength
    }
  } catch {
    // Whoever sent it is gone.
  } finally {
    clearTimeout(timer)
    reader.releaseLock()
  }
}
