// How long the Worker reads a body that it has refused: never longer than it is worth.
import { afterEach, expect, it, vi } from 'vitest'
import { readPlainBody } from '../../../../src/doors/http/request/json-body.ts'
import { answerAndDrain } from '../../../../worker/drain-body.ts'

afterEach(() => void vi.useRealTimers())

function post(body: ReadableStream<Uint8Array>): Request {
  const init = { method: 'POST', body, duplex: 'half' }
  return new Request('https://mirror.test/v1/books/b/sync', init)
}

it('answers after ten seconds a client that ends its body never, and reads no more of it', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const cancel = vi.fn<() => void>()
  const body = new ReadableStream<Uint8Array>({ start: (to) => to.enqueue(new Uint8Array(2000)), cancel })
  const answer = vi.fn<(response: Response) => void>()
  const refused = answerAndDrain(post(body), async (request) => {
    await expect(readPlainBody(request, 1000)).rejects.toMatchObject({ code: 'too-large' })
    return new Response(null, { status: 413 })
  }).then(answer)
  await vi.advanceTimersByTimeAsync(9999)
  expect(answer).not.toHaveBeenCalled()
  await vi.advanceTimersByTimeAsync(1)
  await refused
  expect(answer.mock.lastCall?.[0]).toMatchObject({ status: 413 })
  expect(cancel).toHaveBeenCalled()
})

it('answers a client that sends without end once it has read 16 MB', async () => {
  let pieces = 0
  const body = new ReadableStream<Uint8Array>({
    pull(to) {
      pieces += 1
      to.enqueue(new Uint8Array(1_000_000))
    },
  })
  expect((await answerAndDrain(post(body), () => new Response(null, { status: 401 }))).status).toBe(401)
  expect(pieces).toBeLessThan(20)
})

it('reads on where a reader gave up with a read pending', async () => {
  let to: ReadableStreamDefaultController<Uint8Array> | undefined
  const body = new ReadableStream<Uint8Array>({ start: (controller) => void (to = controller) })
  const answer = await answerAndDrain(post(body), (request) => {
    void request.body?.getReader().read()
    queueMicrotask(() => {
      to?.enqueue(new Uint8Array(10))
      to?.close()
    })
    return new Response(null, { status: 413 })
  })
  expect(answer.status).toBe(413)
})
