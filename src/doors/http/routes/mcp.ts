// `POST /v1/books/:book/mcp`: the Model Context Protocol over Streamable HTTP, with the rights of the caller's key.
// `?tools=recall,graph` selects sets of tools; `DELETE` ends a connection. The first request loads the library.
import { Hono } from 'hono'
import { product } from '../../../bundle/format/product.ts'
import { defined } from '../../../core/defined.ts'
import { isDaybookError } from '../../../core/errors.ts'
import { orAborted } from '../../../core/abort.ts'
import type { BodyPass, BookDoor } from '../../../edge/mirror-door.ts'
import type { BookTypes } from '../../../edge/edge-env.ts'
import { loadMcp, type McpBook } from '../../mcp/mcp-book.ts'
import { answerMcp, createMessageReader, endStreamOn, maxMcpBodyBytes, methodOf } from '../../mcp/mcp-http.ts'
import { requestedRevision } from '../../mcp/agent-name.ts'
import { httpConnectionOf, presentedAgent, sessionHeader } from '../../mcp/http-connection.ts'
import { McpPersona } from '../../mcp/mcp-persona.ts'
import { createMcpServer, instructionsFor, toolContextOf } from '../../mcp/mcp-server.ts'
import { createResourceWatch } from '../../mcp/resource-watch.ts'
import { resourcesOf, parseSetNames } from '../../mcp/tool-set.ts'
import { assertNesting, readPlainBody, withBodyPass } from '../request/json-body.ts'
import { isAllowedOrigin, transportOf } from '../request/guard.ts'
import { logFault } from '../request/problem.ts'

/** Verbs that agents usually may call. A caller that may call none of these is refused. */
const commonVerbs = ['kstar:query_memory', 'kstar:store_fact', 'a2p:propose'] as const

export const mcpRoute = new Hono<BookTypes>()
  .post('/mcp', async (c) => {
    const sets = parseSetNames(c.req.query('tools'))
    const pass = await c.get('book').enter(commonVerbs[0])
    return withBodyPass(pass, async (chargeIfRefused) => {
      await assertMayCallCommonVerb(c.get('book'))
      // Without a body gate, the library reads and limits the body.
      const request = pass ? await chargeIfRefused(() => readCheckedBody(c.req.raw, pass)) : c.req.raw
      return answerMcpRequest(request, { door: c.get('book'), sets, origins: c.env.DAYBOOK_ORIGINS })
    })
  })
  // The end of a connection, and so of its persona's session.
  .delete('/mcp', async (c) => {
    const door = c.get('book')
    await assertMayCallCommonVerb(door)
    const agent = presentedAgent(c.req.raw)
    if (agent !== undefined) await connectionOf(door, c.req.url, agent).end()
    return c.body(null, 204)
  })

/** The requests whose answers contain the instructions. */
const introductions: ReadonlySet<string> = new Set(['initialize', 'server/discover'])

interface AnswerOptions {
  readonly door: BookDoor
  readonly sets: ReturnType<typeof parseSetNames>
  readonly origins: string | undefined
}

async function answerMcpRequest(request: Request, { door, sets, origins }: AnswerOptions): Promise<Response> {
  const { url } = request
  // `answerMcp` reads the body again.
  const read = createMessageReader(request)
  const { agent, session } = await httpConnectionOf(request, read)
  const { origin: ownOrigin, protocol } = new URL(url)
  const { book } = connectionOf(door, url, agent)
  const mcp = await loadMcp()
  const guards = {
    // `requireHttps` refused plain HTTP to other names.
    isOwnMachine: protocol !== 'https:',
    isAllowedOrigin: (origin: string) => origin === ownOrigin || isAllowedOrigin(origin, origins),
  }
  const watch = createResourceWatch({
    resources: resourcesOf(sets),
    read: (resource) => resource.read(toolContextOf(book, {})),
    later(ms, work) {
      const timer = setTimeout(work, ms)
      return () => clearTimeout(timer)
    },
  })
  const isListening = request.headers.get('mcp-method') === 'subscriptions/listen'
  // A listening client gets a stream, which `watch` ends when the caller's key ends.
  const id = isListening ? ((await read()).id ?? null) : undefined
  if (isListening) await watch.readFirstStates()
  const isIntroduction = introductions.has(await methodOf(request, read))
  const revision = isIntroduction ? requestedRevision((await read()).params) : undefined
  const instructions = isIntroduction ? await instructionsFor(book) : undefined
  const response = await answerMcp(request, {
    mcp,
    guards,
    bus: watch.bus,
    factory: ({ era }) =>
      createMcpServer({
        mcp,
        era,
        book,
        sets,
        version: product.version,
        ...defined({ instructions, revision }),
      }),
  })
  if (session !== undefined && response.ok) response.headers.set(sessionHeader, session)
  return isListening ? endStreamOn(response, id, watch.onEnd) : response
}

/** Reads the body and checks its nesting before the library parses the body. Waits for the caller's turn. */
async function readCheckedBody(request: Request, pass: BodyPass): Promise<Request> {
  const bytes = await readPlainBody(request, maxMcpBodyBytes, pass)
  await pass.waitForTurn()
  assertNesting(new TextDecoder().decode(bytes))
  const { url, method, headers, signal } = request
  return new Request(url, { method, headers, signal, body: bytes })
}

/**
 * Throws `forbidden` for a caller that may call none of `commonVerbs`, so that the server reveals nothing to this
 * caller. Other errors, such as a rate limit, are thrown at once.
 */
async function assertMayCallCommonVerb(door: BookDoor): Promise<void> {
  for (const [i, id] of commonVerbs.entries()) {
    try {
      await door.admit(id)
      return
    } catch (error) {
      if (!isDaybookError(error, 'forbidden') || i === commonVerbs.length - 1) throw error
    }
  }
}

/** The owner's connection has a persona of its own; the connections of a guest have that of its key. */
function connectionOf(
  door: BookDoor,
  url: string,
  agent: string | undefined,
): Pick<McpPersona, 'book' | 'end'> {
  const book = mcpBookOf(door, url, agent)
  return agent === undefined
    ? { book, end: () => Promise.resolve() }
    : new McpPersona(book, { isResumed: true })
}

function mcpBookOf(door: BookDoor, url: string, connection: string | undefined): McpBook {
  const transport = transportOf(url)
  return {
    place: 'mirror',
    now: () => Date.now(),
    assertMayCall: (id) => door.admit(id),
    call(id, input, { requestId, signal, scope } = {}) {
      const call = door.call(id, input, { requestId, way: transport, connection, scope })
      return signal ? orAborted(call, signal) : call
    },
    onFault: logFault,
  }
}
