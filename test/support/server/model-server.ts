// A local server that speaks the chat completions protocol, as well or as badly as a test wants.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface ChatRequest {
  readonly model: string
  readonly messages: readonly { readonly role: string; readonly content: string }[]
  readonly [name: string]: unknown
}

export interface ModelServer extends AsyncDisposable {
  readonly url: string
  /** What was asked so far, with the header that carried the key. */
  readonly asked: { readonly body: ChatRequest; readonly authorization: string | undefined }[]
  /** Resolves at the next request. */
  next(): Promise<void>
}

/** What the server does with the nth request, from 0. */
export type Behaviour = (request: ChatRequest, response: ServerResponse, number: number) => void

/** An answer as a well-behaved service gives it. */
export function say(content: unknown, finish_reason = 'stop'): string {
  const text = typeof content === 'string' ? content : JSON.stringify(content)
  return JSON.stringify({
    id: 'c-1',
    object: 'chat.completion',
    choices: [{ index: 0, finish_reason, message: { role: 'assistant', content: text } }],
  })
}

export async function openModelServer(behave: Behaviour): Promise<ModelServer> {
  const asked: { body: ChatRequest; authorization: string | undefined }[] = []
  let waiting: (() => void)[] = []
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    if (request.method !== 'POST' || request.url !== '/v1/chat/completions') {
      response.writeHead(404).end()
      return
    }
    const body = JSON.parse(Buffer.concat(parts).toString('utf8')) as ChatRequest
    asked.push({ body, authorization: request.headers.authorization })
    behave(body, response, asked.length - 1)
    for (const tell of waiting.splice(0)) tell()
    waiting = []
  }
  const server: Server = createServer((request, response) => void answer(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    asked,
    next: () => new Promise((resolve) => waiting.push(resolve)),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
