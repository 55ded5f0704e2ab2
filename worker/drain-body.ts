// Reads the rest of a refused body before the answer, so that the client sees the answer. Free of the platform, for its test.

/** How much of a refused body is read, and for how long. */
const drainLimitBytes = 16_000_000
const drainMs = 10_000

type BodyReader = ReadableStreamDefaultReader<Uint8Array>

/**
 * Answers a request after reading the rest of its body: workerd resets a connection on which a client still sends, and the client
 * would not see why it was refused. A slow or endless client keeps its request for a bounded time only.
 */
export async function onceRead(
  request: Request,
  answer: (request: Request) => Response | Promise<Response>,
): Promise<Response> {
  if (!request.body) return answer(request)
  // The only reader: one that gave up with a read pending would block the body until data arrives.
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
    // The client is gone.
  } finally {
    clearTimeout(timer)
  }
}
