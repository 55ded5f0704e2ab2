// Reads what is left of a body that was refused unread, before the answer goes: workerd resets a connection on which a client
// is still sending, and the client then never reads why it was refused.
// Invariant: a client that sends slowly, or without end, holds its request for a bounded time only.

/** As much as is read of a body that nobody wants, and for how long. */
const drainLimitBytes = 16_000_000
const drainMs = 10_000

type BodyReader = ReadableStreamDefaultReader<Uint8Array>

/** What `answer` answers, once the request has come to its end or is more than it is worth. */
export async function onceRead(
  request: Request,
  answer: (request: Request) => Response | Promise<Response>,
): Promise<Response> {
  if (!request.body) return answer(request)
  // A reader of this body may give up with a read pending, and then holds it for as long as nothing comes. So the one reader
  // of what comes is here.
  const reader: BodyReader = request.body.getReader()
  const init = { body: readBy(reader), duplex: 'half' }
  const response = await answer(new Request(request, init))
  await drain(reader)
  return response
}

function readBy(reader: BodyReader): ReadableStream<Uint8Array> {
  return new ReadableStream(
    {
      async pull(to) {
        const { done, value } = await reader.read()
        if (done) to.close()
        else to.enqueue(value)
      },
    },
    { highWaterMark: 0 },
  )
}

async function drain(reader: BodyReader): Promise<void> {
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
  }
}
