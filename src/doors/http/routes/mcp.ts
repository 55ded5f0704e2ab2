// `POST /v1/books/:book/mcp`: the Model Context Protocol over Streamable HTTP, with the rights of the caller's key.
// `?tools=recall,graph` selects sets of tools. The first request loads the library.
import { Hono } from 'hono'
import { product } from '../../../bundle/format/product.ts'
import { isDaybookError } from '../../../core/errors.ts'
import { orAborted } from '../../../core/abort.ts'
import type { BodyPass, BookDoor } from '../../../edge/mirror-door.ts'
import type { BookTypes } from '../../../edge/edge-env.ts'
import { loadMcp, type McpBook } from '../../mcp/mcp-book.ts'
import { endingWith, requestIdOf, answerMcp, mcpBodyLimit } from '../../mcp/mcp-http.ts'
import { createMcpServer, toolCall } from '../../mcp/mcp-server.ts'
import { createResourceWatch } from '../../mcp/resource-watch.ts'
import { resourcesOf, readSets } from '../../mcp/tool-set.ts'
import { checkNesting, readPlainBody, withinPass } from '../request/json-body.ts'
import { isAllowedOrigin, wayOf } from '../request/guard.ts'
import { logFault } from '../request/problem.ts'

/** Verbs that agents usually may call. A caller that may call none of these is refused. */
const entrances = ['kstar:query_memory', 'kstar:store_fact', 'a2p:propose'] as const

export const mcpRoute = new Hono<BookTypes>().post('/mcp', async (c) => {
  const sets = readSets(c.req.query('tools'))
  const pass = await c.get('book').enter(entrances[0])
  return withinPass(pass, async (refusing) => {
    await requireEntrance(c.get('book'))
    const request = pass ? await refusing(() => readAhead(c.req.raw, pass)) : c.req.raw
    return answer(request, { door: c.get('book'), sets, origins: c.env.DAYBOOK_ORIGINS })
  })
})

interface Answering {
  readonly door: BookDoor
  readonly sets: ReturnType<typeof readSets>
  readonly origins: string | undefined
}

async function answer(request: Request, { door, sets, origins }: Answering): Promise<Response> {
  const { url } = request
  const { origin: ownOrigin, protocol } = new URL(url)
  const book = bookOf(door, url)
  const mcp = await loadMcp()
  const guards = {
    isOwnMachine: protocol !== 'https:',
    isAllowedOrigin: (origin: string) => origin === ownOrigin || isAllowedOrigin(origin, origins),
  }
  const watch = createResourceWatch({
    resources: resourcesOf(sets),
    read: (resource) => resource.read(toolCall(book, {})),
    later(ms, work) {
      const timer = setTimeout(work, ms)
      return () => clearTimeout(timer)
    },
  })
  const isListening = request.headers.get('mcp-method') === 'subscriptions/listen'
  // Read a clone, because `answerMcp` reads the body again.
  const id = isListening ? await requestIdOf(request.clone()) : undefined
  if (isListening) await watch.begin()
  const response = await answerMcp(request, {
    mcp,
    guards,
    bus: watch.bus,
    factory: ({ era }) => createMcpServer({ mcp, era, book, sets, version: product.version }),
  })
  return isListening ? endingWith(response, id, watch.onEnd) : response
}

/** Reads the body and checks its nesting before the library parses the body. Waits for the caller's turn. */
async function readAhead(request: Request, pass: BodyPass): Promise<Request> {
  const bytes = await readPlainBody(request, mcpBodyLimit, pass)
  await pass.waitForTurn()
  checkNesting(new TextDecoder().decode(bytes))
  const { url, method, headers, signal } = request
  return new Request(url, { method, headers, signal, body: bytes })
}

/**
 * Throws `forbidden` for a caller that may call none of `entrances`, so that the server reveals nothing to this
 * caller.
 */
async function requireEntrance(door: BookDoor): Promise<void> {
  for (const [i, id] of entrances.entries()) {
    try {
      await door.admit(id)
      return
    } catch (error) {
      if (!isDaybookError(error, 'forbidden') || i === entrances.length - 1) throw error
    }
  }
}

function bookOf(door: BookDoor, url: string): McpBook {
  const way = wayOf(url)
  return {
    place: 'mirror',
    now: () => Date.now(),
    admit: (id) => door.admit(id),
    call(id, input, { requestId, signal } = {}) {
      const call = door.call(id, input, { requestId, way })
      return signal ? orAborted(call, signal) : call
    },
    onFault: logFault,
  }
}
