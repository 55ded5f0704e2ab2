// The edge of one book, in this process. Pages reach it by requests of the browser; the book can be erased there and started again.
import type { BrowserContext } from 'playwright'
import { DaybookError, toDaybookError } from '../../../src/core/errors.ts'
import { createEngine } from '../../../src/engine/engine.ts'
import { openNodeDatabase } from '../../../src/hosts/node/book/node-database.ts'
import { nodePorts } from '../../../src/hosts/node/port/node-ports.ts'
import { SyncMirror } from '../../../src/sync/mirror/mirror.ts'

interface Edge {
  /** Refuses each key from now on. */
  refuseKeys(): void
  serve(context: BrowserContext): Promise<void>
}

function openMirror(): SyncMirror {
  const { store } = createEngine({
    ports: nodePorts,
    name: 'b',
    scope: { agent: 'edge' },
    db: openNodeDatabase({ path: ':memory:' }),
    durability: 'durable-object',
    role: 'mirror',
  })
  return new SyncMirror({ store, ...nodePorts })
}

export function createEdge(): Edge {
  let mirror: SyncMirror | undefined = openMirror()
  let takesKeys = true
  const at = new Date().toISOString()
  const answer = async (method: string, path: string, body: string): Promise<string> => {
    if (!takesKeys) throw new DaybookError('unauthorized')
    if (method === 'DELETE') mirror = undefined
    else if (method === 'PUT') mirror = openMirror()
    else if (!path.endsWith('/sync')) throw new DaybookError('not-found', 'The edge has no such route.')
    else if (mirror) return (await mirror.exchange(body)).text
    else throw new DaybookError('book-erased', undefined, { details: { at } })
    return JSON.stringify({ erased: true, begun: true, at })
  }
  return {
    refuseKeys() {
      takesKeys = false
    },
    async serve(context) {
      await context.route('http://127.0.0.1:9/**', async (route) => {
        const request = route.request()
        const { pathname } = new URL(request.url())
        const given = await answer(request.method(), pathname, request.postData() ?? '').then(
          (body) => ({ body }),
          (error: unknown) => {
            const refused = toDaybookError(error)
            return { status: refused.code === 'unauthorized' ? 401 : 410, body: JSON.stringify(refused) }
          },
        )
        const headers = { 'access-control-allow-origin': '*', 'content-type': 'application/json' }
        await route.fulfill({ ...given, headers })
      })
    },
  }
}
