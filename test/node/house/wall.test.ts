// The import walls hold: each forbidden direction is tried, beside what is allowed.
import { parseAst } from 'rolldown/parseAst'
import { describe, expect, test } from 'vitest'
import { judgeClock, judgeImport, roomOf } from '../../../scripts/walls/wall.mjs'

type Case = readonly [file: string, specifier: string, kind?: 'type']

const allowed: Case[] = [
  ['src/core/op.ts', './record.ts'],
  ['src/store/record/record-store.ts', '../../core/record.ts'],
  ['src/shape/field.ts', 'zod'],
  ['src/shape/field.ts', '../core/time.ts'],
  ['src/trust/token.ts', '../shape/field.ts'],
  ['src/store/record-schema.ts', 'zod'],
  ['src/store/record-schema.ts', 'zod/mini'],
  ['src/recall/recall.ts', '../store/text.ts'],
  ['src/sync/device/session.ts', '../../store/record/op-log.ts'],
  ['src/memory/kstar/trace-kind.ts', '../../core/kind.ts'],
  ['src/memory/kstar/trace-kind.ts', './record-schema.ts'],
  ['src/memory/kstar/trace-kind.ts', '../../store/book-store.ts', 'type'],
  ['src/engine/engine.ts', '../memory/kstar/kstar.ts'],
  ['src/engine/door/call.ts', '../../bundle/bundle.ts'],
  ['src/doors/local-door.ts', '../engine/engine.ts'],
  ['src/doors/mcp/server.ts', '@modelcontextprotocol/server'],
  ['src/doors/mcp/server.ts', '../local-door.ts'],
  ['src/hosts/browser/worker/worker-engine.ts', '../../../doors/local-door.ts'],
  ['src/hosts/browser/page/page-link.ts', 'comlink'],
  ['src/hosts/node/book/node-database.ts', 'node:sqlite'],
  ['src/index.ts', './hosts/browser/page/open-daybook.ts'],
  ['src/hosts/browser/service-worker.ts', './background/spill-place.ts'],
  ['src/doors/http/routes/book-routes.ts', '../../../edge/outcome.ts'],
  ['src/edge/live-lines.ts', '../sync/wire/live-wire.ts'],
  ['src/hosts/node/serve/serve-mirrors.ts', '../../../doors/http/app.ts'],
  ['src/hosts/node/postgres/book-lines.ts', '../../../edge/live-lines.ts'],
  ['worker/create-edge.ts', '../src/doors/http/app.ts'],
  ['worker/mirror-object.ts', 'cloudflare:workers'],
  ['src/doors/http/app.ts', 'hono/cors'],
  ['demo/app.tsx', './views/shell/rail.tsx'],
  ['demo/app.tsx', './state/book.ts'],
  ['demo/main.tsx', 'preact'],
  ['demo/views/record/record-view.tsx', '../../parts/chart/histogram.tsx'],
  ['demo/views/record/record-view.tsx', '../../state/list/record-list.ts'],
  ['demo/views/record/record-view.tsx', 'preact/hooks'],
  ['demo/state/book.ts', '../../src/index.ts'],
  ['demo/state/act/sample.ts', '../../sample/run-sample.ts'],
  ['demo/parts/chart/histogram.tsx', '../../page/clock.ts'],
  ['demo/parts/chart/histogram.tsx', '../../kind/record-kind.ts', 'type'],
  ['demo/kind/trace-kind.ts', '../wording/text-word.ts'],
]

const forbidden: Case[] = [
  ['src/core/op.ts', 'zod'],
  ['src/core/op.ts', 'zod', 'type'],
  ['src/core/op.ts', '../store/op-log.ts', 'type'],
  ['src/core/time.ts', '../shape/field.ts'],
  ['src/shape/field.ts', '../memory/kstar/trace-kind.ts', 'type'],
  ['src/store/word/text.ts', '../../recall/fuse.ts'],
  ['src/store/word/text.ts', 'comlink'],
  ['src/recall/recall.ts', '../sync/session.ts'],
  ['src/sync/device/session.ts', '../../recall/recall.ts', 'type'],
  ['src/sync/device/session.ts', 'node:fs'],
  ['src/memory/kstar/trace-kind.ts', '../../store/book-store.ts'],
  ['src/memory/kstar/trace-kind.ts', '../consent/policy.ts', 'type'],
  ['src/memory/kstar/trace-kind.ts', '../../bundle/bundle.ts', 'type'],
  ['src/memory/kstar/trace-kind.ts', '../../engine/engine.ts', 'type'],
  ['src/commons/room/room.ts', '../pool/pool.ts'],
  ['src/trust/token.ts', '../memory/consent/policy.ts'],
  ['src/bundle/bundle.ts', '../trust/token.ts'],
  ['src/engine/engine.ts', '../doors/local-door.ts'],
  ['src/engine/engine.ts', '../edge/live-lines.ts', 'type'],
  ['src/engine/engine.ts', '../hosts/node/index.ts', 'type'],
  ['src/engine/engine.ts', '../index.ts', 'type'],
  ['src/doors/local-door.ts', '../store/book-store.ts'],
  ['src/doors/local-door.ts', '@modelcontextprotocol/server'],
  ['src/hosts/browser/page/open-daybook.ts', '../../node/index.ts', 'type'],
  ['src/hosts/node/index.ts', '../browser/page/open-daybook.ts'],
  ['src/hosts/node/serve/serve-mirrors.ts', '../../../../worker/create-edge.ts'],
  ['src/hosts/node/cli/run-cli.ts', '../../../doors/http/app.ts'],
  ['src/hosts/node/index.ts', 'comlink'],
  ['src/hosts/browser/page/open-daybook.ts', 'hono'],
  ['src/doors/http/app.ts', '../../hosts/node/index.ts'],
  ['src/doors/http/app.ts', 'cloudflare:workers'],
  ['src/doors/http/app.ts', 'node:http'],
  ['src/edge/live-lines.ts', 'cloudflare:workers'],
  ['src/edge/live-lines.ts', 'node:http'],
  ['src/edge/live-lines.ts', '../doors/http/app.ts'],
  ['src/edge/live-lines.ts', 'ws'],
  ['src/edge/mirror-service.ts', '../hosts/node/postgres/postgres-mirrors.ts', 'type'],
  ['src/edge/mirror-service.ts', '../../worker/mirror-object.ts', 'type'],
  ['src/edge/mirror-door.ts', 'hono', 'type'],
  ['src/doors/http/app.ts', '../../../worker/mirror-object.ts', 'type'],
  ['src/doors/http/app.ts', '../../hosts/node/serve/serve-mirrors.ts', 'type'],
  ['src/doors/http/app.ts', '@hono/node-server'],
  ['src/hosts/node/postgres/postgres-mirrors.ts', '../../../../worker/object-lines.ts', 'type'],
  ['src/hosts/node/postgres/postgres-mirrors.ts', '../../../doors/http/app.ts'],
  ['src/hosts/node/postgres/postgres-mirrors.ts', '../serve/serve-mirrors.ts'],
  ['src/hosts/node/serve/serve-mirrors.ts', '../../browser/port/browser-ports.ts', 'type'],
  ['src/hosts/browser/worker/worker-engine.ts', '../../../../worker/create-edge.ts', 'type'],
  ['worker/mirror-object.ts', '../src/hosts/browser/port/browser-ports.ts', 'type'],
  ['worker/mirror-object.ts', '../src/hosts/node/postgres/postgres-mirrors.ts', 'type'],
  ['worker/mirror-object.ts', 'node:crypto'],
  ['worker/mirror-object.ts', '../src/hosts/node/index.ts'],
  ['src/doors/http/app.ts', '@sqlite.org/sqlite-wasm'],
  ['src/index.ts', './hosts/node/index.ts'],
  ['demo/app.tsx', '../src/engine/engine.ts', 'type'],
  ['demo/app.tsx', '../src/doors/http/app.ts'],
  ['demo/app.tsx', 'zod'],
  ['demo/views/shell/rail.tsx', '../../app.tsx'],
  ['demo/views/shell/rail.tsx', 'uplot'],
  ['demo/state/book.ts', '../views/shell/rail.tsx', 'type'],
  ['demo/state/book.ts', '../parts/bar.tsx'],
  ['demo/state/book.ts', '../../src/engine/engine.ts', 'type'],
  ['demo/parts/chart/histogram.tsx', '../../state/list/record-list.ts', 'type'],
  ['demo/page/clock.ts', '../parts/bar.tsx'],
  ['demo/kind/trace-kind.ts', '../page/clock.ts'],
  ['demo/kind/trace-kind.ts', 'preact'],
  ['demo/wording/text-word.ts', '../kind/mark.ts', 'type'],
  ['demo/sample/run-sample.ts', '../state/book.ts', 'type'],
]

const title = ([file, specifier, kind]: Case) => `${file} ← ${specifier}${kind ? ' as a type' : ''}`

describe('allowed', () => {
  test.each(allowed.map((each) => [title(each), each] as const))('%s', (_, [file, specifier, kind]) => {
    expect(
      judgeImport(file, specifier, kind === 'type'),
      'Allow the import in scripts/walls/wall.mjs, or move this case to `forbidden` with a reason in src/DECISIONS.md.',
    ).toBeUndefined()
  })
})

describe('forbidden', () => {
  test.each(forbidden.map((each) => [title(each), each] as const))('%s', (_, [file, specifier, kind]) => {
    expect(
      judgeImport(file, specifier, kind === 'type'),
      'Forbid the import in scripts/walls/wall.mjs, or move this case to `allowed` with a reason in src/DECISIONS.md.',
    ).toContain(' may ')
  })
})

test('a file in a folder that no room covers has no room', () => {
  expect(roomOf('src/helpers/string.ts')).toBeUndefined()
  expect(roomOf('src/memory/loose.ts')).toBeUndefined()
  expect(roomOf('src/loose.ts')).toBeUndefined()
  expect(roomOf('src/engine/door/call.ts')?.path).toBe('src/engine')
})

describe('a date', () => {
  const judge = (file: string, source: string) => {
    const [statement] = parseAst(source).body
    if (statement?.type !== 'ExpressionStatement') throw new Error('An expression is wanted here.')
    return judgeClock(file, statement.expression as Parameters<typeof judgeClock>[1])
  }

  test.each(['new Date()', 'new Date', 'Date()', 'Date(5)'])('%s asks a clock', (source) => {
    for (const file of [
      'src/core/time.ts',
      'src/engine/door/call.ts',
      'src/doors/local-door.ts',
      'src/index.ts',
    ])
      expect(judge(file, source)).toContain('Clock')
    for (const file of [
      'src/web/web-ports.ts',
      'src/hosts/node/cli.ts',
      'src/doors/http/app.ts',
      'demo/app.tsx',
    ])
      expect(judge(file, source)).toBeUndefined()
  })

  test.each(['new Date(0)', 'new Date(ms)', 'Date.UTC(2026, 0)', 'new Dates()'])('%s does not', (source) => {
    expect(judge('src/core/time.ts', source)).toBeUndefined()
  })
})
