// `daybook/edge`: the edge as a Cloudflare Worker. A deployment exports the Mirror and the handler:
//   export { Mirror } from 'daybook/edge'
//   export default createEdge()
import { createApp, type EdgeApp } from '../src/doors/http/app.ts'
import type { EdgeEnv } from '../src/edge/edge-env.ts'
import { answerAndDrain } from './drain-body.ts'

export interface Edge {
  fetch(request: Request, env: EdgeEnv, context?: ExecutionContext): Response | Promise<Response>
}

/** Creates the handler of a Worker: sync and capabilities over HTTP, one Durable Object per book. */
export function createEdge(): Edge {
  const app = createApp()
  return {
    fetch: (request, env, context) => answerAndDrain(request, (read) => app.fetch(read, env, context)),
  }
}

export { Mirror } from './mirror-object.ts'
export type { EdgeApp, EdgeEnv }
