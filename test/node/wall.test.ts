// The import walls hold: each forbidden direction is tried, beside what is allowed.
import { describe, expect, test } from 'vitest'
import { judgeImport, roomOf } from '../../scripts/wall.mjs'

type Case = readonly [file: string, specifier: string, kind?: 'type']

const allowed: Case[] = [
  ['src/core/op.ts', './record.ts'],
  ['src/store/record-store.ts', '../core/record.ts'],
  ['src/shape/instant.ts', 'zod'],
  ['src/shape/instant.ts', '../core/time.ts'],
  ['src/trust/token.ts', '../shape/instant.ts'],
  ['src/store/record-schema.ts', 'zod'],
  ['src/store/record-schema.ts', 'zod/mini'],
  ['src/recall/recall.ts', '../store/text.ts'],
  ['src/sync/session.ts', '../store/op-log.ts'],
  ['src/memory/kstar/trace-kind.ts', '../../core/kind.ts'],
  ['src/memory/kstar/trace-kind.ts', './trace-schema.ts'],
  ['src/memory/kstar/trace-kind.ts', '../../store/book-store.ts', 'type'],
  ['src/engine.ts', './memory/kstar/trace-kind.ts'],
  ['src/engine.ts', './bundle/bundle.ts'],
  ['src/doors/local-door.ts', '../engine.ts'],
  ['src/doors/mcp/server.ts', '@modelcontextprotocol/server'],
  ['src/doors/mcp/server.ts', '../local-door.ts'],
  ['src/hosts/browser/open-book.ts', '../../doors/local-door.ts'],
  ['src/hosts/browser/open-book.ts', 'comlink'],
  ['src/hosts/node/node-database.ts', 'node:sqlite'],
  ['src/index.ts', './hosts/browser/open-book.ts'],
  ['src/hosts/browser/service-worker.ts', './spill-place.ts'],
  ['worker/app.ts', '../src/engine.ts'],
  ['worker/app.ts', 'hono/cors'],
  ['demo/src/app.tsx', '../../src/index.ts'],
  ['demo/src/app.tsx', 'preact/hooks'],
]

const forbidden: Case[] = [
  ['src/core/op.ts', 'zod'],
  ['src/core/op.ts', 'zod', 'type'],
  ['src/core/op.ts', '../store/op-log.ts', 'type'],
  ['src/core/time.ts', '../shape/instant.ts'],
  ['src/shape/instant.ts', '../memory/kstar/trace-kind.ts', 'type'],
  ['src/store/text.ts', '../recall/fuse.ts'],
  ['src/store/text.ts', 'comlink'],
  ['src/recall/recall.ts', '../sync/session.ts'],
  ['src/sync/session.ts', '../recall/recall.ts', 'type'],
  ['src/sync/session.ts', 'node:fs'],
  ['src/memory/kstar/trace-kind.ts', '../../store/book-store.ts'],
  ['src/memory/kstar/trace-kind.ts', '../consent/policy.ts', 'type'],
  ['src/memory/kstar/trace-kind.ts', '../../bundle/bundle.ts', 'type'],
  ['src/memory/kstar/trace-kind.ts', '../../engine.ts', 'type'],
  ['src/commons/room/room.ts', '../pool/pool.ts'],
  ['src/trust/token.ts', '../memory/consent/policy.ts'],
  ['src/bundle/bundle.ts', '../trust/token.ts'],
  ['src/engine.ts', './doors/local-door.ts'],
  ['src/engine.ts', './hosts/node/index.ts', 'type'],
  ['src/engine.ts', './index.ts', 'type'],
  ['src/doors/local-door.ts', '../store/book-store.ts'],
  ['src/doors/local-door.ts', '@modelcontextprotocol/server'],
  ['src/hosts/browser/open-book.ts', '../node/index.ts', 'type'],
  ['src/hosts/node/index.ts', '../browser/open-book.ts'],
  ['src/hosts/node/index.ts', 'comlink'],
  ['src/hosts/browser/open-book.ts', 'hono'],
  ['worker/app.ts', '../src/hosts/node/index.ts'],
  ['worker/app.ts', '@sqlite.org/sqlite-wasm'],
  ['src/index.ts', './hosts/node/index.ts'],
  ['demo/src/app.tsx', '../../src/engine.ts', 'type'],
  ['demo/src/app.tsx', '../../worker/app.ts'],
  ['demo/src/app.tsx', 'zod'],
]

const title = ([file, specifier, kind]: Case) => `${file} ← ${specifier}${kind ? ' as a type' : ''}`

describe('allowed', () => {
  test.each(allowed.map((each) => [title(each), each] as const))('%s', (_, [file, specifier, kind]) => {
    expect(judgeImport(file, specifier, kind === 'type')).toBeUndefined()
  })
})

describe('forbidden', () => {
  test.each(forbidden.map((each) => [title(each), each] as const))('%s', (_, [file, specifier, kind]) => {
    expect(judgeImport(file, specifier, kind === 'type')).toContain(' may ')
  })
})

test('a file in a folder that no room covers has no room', () => {
  expect(roomOf('src/helpers/string.ts')).toBeUndefined()
  expect(roomOf('src/memory/loose.ts')).toBeUndefined()
  expect(roomOf('src/engine.ts')?.path).toBe('src')
})
