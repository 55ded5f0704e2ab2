// Serves `GET /health` and `GET /metrics` of a Kafka connection, for monitors.
import type { AddressInfo } from 'node:net'
import { hostInUrl } from '../../../core/address.ts'
import { listen } from '../port/listen.ts'
import { createLimitedServer, drainRequest } from '../port/limited-server.ts'
import { usualLimits } from '../port/server-limits.ts'
import type { KafkaState } from './carrier-state.ts'

/** Low limits, because only monitors connect here. */
const limits = { ...usualLimits, connections: 100, connectionsOfAddress: 80 }

export interface HealthOptions {
  readonly host: string
  /** 0: any free port. */
  readonly port: number
  readonly state: () => KafkaState
}

export interface Health extends AsyncDisposable {
  readonly url: string
}

/**
 * Starts the server. `/health` answers 200 in the state `running` and 503 in every other state. Answers have
 * neither envelopes nor secrets.
 */
export async function serveHealth({ host, port, state }: HealthOptions): Promise<Health> {
  const server = createLimitedServer(limits, (request, response) => {
    const { method, url = '' } = request
    const path = url.split('?')[0]
    const now = state()
    const answer = (status: number, type: string, text: string) =>
      void drainRequest(request).then((isRead) => {
        if (response.destroyed) return
        const ending = isRead ? {} : { connection: 'close' }
        response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store', ...ending })
        response.end(method === 'HEAD' ? undefined : text)
      })
    if (method !== 'GET' && method !== 'HEAD') answer(405, 'text/plain', 'GET\n')
    else if (path === '/health') {
      const isUp = now.state === 'running'
      answer(isUp ? 200 : 503, 'application/json', JSON.stringify({ ok: isUp, ...now }))
    } else if (path === '/metrics') answer(200, 'text/plain; version=0.0.4', metricsOf(now))
    else answer(404, 'text/plain', 'GET /health, GET /metrics\n')
  })
  await listen(server, port, host)
  const { port: boundPort } = server.address() as AddressInfo
  return {
    url: `http://${hostInUrl(host)}:${boundPort}`,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** The metrics in the text format of Prometheus. */
function metricsOf({ state, received, results, own, sent, lag }: KafkaState): string {
  const rows: [name: string, type: string, values: Readonly<Record<string, number>>][] = [
    ['daybook_pool_up', 'gauge', { '': state === 'running' ? 1 : 0 }],
    ['daybook_pool_received_total', 'counter', { '': received }],
    [
      'daybook_pool_results_total',
      'counter',
      Object.fromEntries(Object.entries(results).map(([result, count]) => [`{result="${result}"}`, count])),
    ],
    ['daybook_pool_own_total', 'counter', { '': own }],
    ['daybook_pool_sent_total', 'counter', { '': sent }],
    ...(lag === undefined
      ? []
      : [['daybook_pool_lag', 'gauge', { '': lag }] satisfies (typeof rows)[number]]),
  ]
  return rows
    .flatMap(([name, type, values]) => [
      `# TYPE ${name} ${type}`,
      ...Object.entries(values).map(([label, value]) => `${name}${label} ${value}`),
    ])
    .map((line) => `${line}\n`)
    .join('')
}
