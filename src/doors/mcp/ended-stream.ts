// The stream of somebody who listens over HTTP and, later, may not any more. Invariant: its last message says why it ended, as
// the answer to the request that began it.
import type { DaybookError } from '../../core/errors.ts'

/** The id of the request, as far as its body says one. */
export async function requestIdOf(request: Request): Promise<unknown> {
  try {
    return ((await request.json()) as { readonly id?: unknown }).id ?? null
  } catch {
    return null
  }
}

/** `response`, until `onEnd` says why there is no more of it. */
export function endingWith(
  response: Response,
  id: unknown,
  onEnd: (ended: (error: DaybookError) => void) => void,
): Response {
  const reader = response.body?.getReader()
  if (!reader) return response
  let isOver = false
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      onEnd(({ code, message }) => {
        if (isOver) return
        isOver = true
        const last = { jsonrpc: '2.0', id, error: { code: -32_000, message, data: { code } } }
        controller.enqueue(new TextEncoder().encode(`event: message\ndata: ${JSON.stringify(last)}\n\n`))
        controller.close()
        void reader.cancel().catch(() => undefined)
      })
    },
    async pull(controller) {
      const { done, value } = await reader.read()
      if (isOver) return
      if (!done) return controller.enqueue(value)
      isOver = true
      controller.close()
    },
    cancel(reason) {
      isOver = true
      return reader.cancel(reason)
    },
  })
  return new Response(body, response)
}
