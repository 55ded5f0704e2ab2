// Isolation between books at the edge, and what a key may do: every route, over a Durable Object for each book.
import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe } from 'vitest'
import { createApp } from '../../../src/doors/http/app.ts'
import { type RouteHost, routeIsolationCases } from '../../contract/access/route-isolation.ts'
import { routeRightCases } from '../../contract/access/route-right.ts'
import { call } from './http.ts'

describe('a Worker', () => {
  const host: RouteHost = {
    key: 'development',
    routes: createApp()
      .routes.filter(({ method }) => method !== 'ALL')
      .map(({ method, path }) => `${method} ${path}`),
    async ask(path, { method, key, body, headers }) {
      const response = await call(path, {
        key,
        body,
        ...(method ? { method } : {}),
        ...(headers ? { headers } : {}),
      })
      return { status: response.status, text: await response.text() }
    },
    exists: (book) =>
      runInDurableObject(
        env.MIRROR.getByName(book),
        (_object, { storage }) =>
          storage.sql.exec("SELECT 1 FROM sqlite_master WHERE name = 'records'").toArray().length > 0,
      ),
  }
  routeIsolationCases(host)
  routeRightCases(host)
})
