// Reads the rest of a refused body before the answer, so that the client gets the answer. Uses no Worker API, for its
// test.

/** Limits for reading a refused body: bytes and milliseconds. */
const maxDrainBytes = 16_000_000
const maxDrainMs = 10_000

type BodyReader = ReadableStreamDefaultReader<Uint8Array>

/**
 * Answers a request after reading the rest of its body. Otherwise workerd resets the connection while the client
 * still sends, and the client never sees the refusal. The limits bound the time for a slow or endless client.
 */
export async function answerAndDrain(
  request: Request,
  answer: (request: Request) => Response | Promise<Response>,
): Promise<Response> {
  if (!request.body) return answer(request)
  // Use one reader only: a second reader would wait for the pending read of the first.
  const reader: BodyReader = request.body.getReader()
  const init = { body: streamFrom(reader), duplex: 'half' }
  const response = await answer(new Request(request, init))
  await drain(reader)
  return response
}

function streamFrom(reader: BodyReader): ReadableStream<Uint8Array> {
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
  let isTimedOut = false
  const timer = setTimeout(() => {
    isTimedOut = true
    reader.cancel().catch(() => undefined)
  }, maxDrainMs)
  try {
    for (let bytes = 0; !isTimedOut && bytes <= maxDrainBytes;) {
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
