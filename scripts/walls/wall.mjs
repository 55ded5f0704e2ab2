// The import walls: which room may import which, which npm package lives where, and what may cross as a type only.
// Type checking has the coarse walls too (project references); these are the exact ones. Every file has a room.
// Beside them stands the one law of pure rooms that lint has no rule for: a date is made of a number, never of now.
import { posix } from 'node:path'

/** @typedef {{ imports?: string[], types?: string[], npm?: string[] }} Room */

const ports = ['src/store', 'src/recall', 'src/sync']
/** @type {Room} */
const chapter = { imports: ['src/core', 'src/shape'], types: ports, npm: ['zod'] }
const chapters = ['src/memory/*', 'src/trust', 'src/commons/*', 'src/bundle']
const rooms = ['src/core', 'src/shape', ...ports, ...chapters, 'src/memory/kstar']
const engine = [...rooms, 'src/engine']
const door = [...engine, 'src/doors', 'src/book']
const edge = [...engine, 'src/edge']
const host = [...door, 'src/web']
const shown = ['src/index.ts', 'demo/wording', 'demo/kind', 'demo/page']

/** Longer paths win; `*` stands for one folder, and two such folders are two rooms. @type {Record<string, Room>} */
export const house = {
  'src/core': {},
  'src/shape': { imports: ['src/core'], npm: ['zod', '@scure/base'] },
  'src/store': { imports: ['src/core'], npm: ['zod'] },
  'src/recall': { imports: ['src/core', 'src/shape', 'src/store'], npm: ['zod'] },
  'src/sync': { imports: ['src/core', 'src/shape', 'src/store'], npm: ['zod'] },
  ...Object.fromEntries(chapters.map((room) => [room, chapter])),
  'src/memory/kstar': { ...chapter, npm: ['zod', '@cfworker/json-schema'] },
  'src/engine': { imports: rooms, npm: ['zod'] },
  'src/book': { imports: ['src/core', 'src/bundle'], types: ['src/engine'] },
  'src/bindings': { types: ['src/book'], npm: ['react', 'preact', 'vue', 'solid-js', 'svelte'] },
  'src/web': { imports: ['src/core'], npm: ['@noble/ciphers', '@noble/hashes', 'hpke'] },
  'src/doors': { imports: ['src/core', 'src/engine', 'src/book', 'src/doors/mcp'], npm: ['zod'] },
  'src/edge': { imports: [...engine, 'src/web'], types: ['src/book'], npm: ['zod'] },
  'src/doors/http': { imports: [...edge, 'src/doors', 'src/doors/mcp'], npm: ['zod', 'hono', 'jose'] },
  'src/doors/mcp': {
    imports: ['src/core', 'src/recall', 'src/engine', 'src/book', 'src/doors'],
    npm: ['zod', '@modelcontextprotocol/'],
  },
  // Two windows, one of which has an open book: nothing of an engine is in either half.
  'src/doors/message': { imports: ['src/core'], types: ['src/book'] },
  // Adapters speak to an open book by its methods, whose types they take; nothing of an engine is in them.
  'src/doors/adapter': {
    imports: ['src/core'],
    types: ['src/book'],
    npm: [
      '@anthropic-ai/sdk',
      '@langchain/',
      '@openai/agents-core',
      '@opentelemetry/api',
      '@tanstack/db',
      'ai',
      '@noble/hashes',
      '@scure/base',
    ],
  },
  'src/hosts/browser': {
    imports: [...host, 'src/doors/mcp'],
    npm: ['zod', 'comlink', 'idb', '@noble/hashes', '@sqlite.org/sqlite-wasm', '@huggingface/transformers'],
  },
  'src/hosts/node': {
    imports: [...host, 'src/hosts/node/serve', 'src/hosts/node/kafka', 'src/doors/mcp'],
    npm: ['zod', 'node:', 'aws4fetch', '@huggingface/transformers', '@modelcontextprotocol/'],
  },
  'src/hosts/node/postgres': {
    imports: [...host, 'src/hosts/node', 'src/edge'],
    npm: ['node:', 'pg', 'ws', 'zod'],
  },
  'src/hosts/node/serve': {
    imports: [...host, 'src/hosts/node', 'src/hosts/node/postgres', 'src/edge', 'src/doors/http'],
    npm: ['node:', '@hono/node-server', 'ws'],
  },
  'src/hosts/node/kafka': {
    imports: [...host, 'src/hosts/node'],
    npm: ['node:', 'zod', '@platformatic/kafka'],
  },
  'src/hosts/browser/service-worker.ts': { imports: ['src/hosts/browser', 'src/core'], npm: [] },
  'src/index.ts': { imports: [...door, 'src/hosts/browser'] },
  worker: { imports: [...edge, 'src/doors/http', 'src/web'], npm: ['zod', 'cloudflare:'] },
  'demo/wording': { imports: ['src/index.ts'] },
  'demo/sample': { imports: ['src/index.ts'] },
  'demo/kind': { imports: ['src/index.ts', 'demo/wording'] },
  'demo/page': { imports: ['src/index.ts', 'demo/wording', 'demo/kind'], npm: ['@preact/signals'] },
  'demo/parts': {
    imports: shown,
    npm: ['preact', '@preact/signals', '@tanstack/virtual-core', 'uplot'],
  },
  'demo/state': { imports: [...shown, 'demo/sample', 'demo/offline'], npm: ['preact', '@preact/signals'] },
  'demo/views': { imports: [...shown, 'demo/parts', 'demo/state'], npm: ['preact', '@preact/signals'] },
  demo: { imports: [...shown, 'demo/parts', 'demo/state', 'demo/views'], npm: ['preact', '@preact/signals'] },
  'demo/offline': { imports: [] },
  'demo/service-worker.ts': { imports: ['src/hosts/browser/service-worker.ts', 'demo/offline'] },
  'demo/vite.config.ts': { imports: ['scripts'], npm: ['vite', 'node:'] },
  scripts: { npm: ['node:'] },
}

/** The room of a file: the longest key of the house that covers it, with its stars filled in. @param {string} file */
export function roomOf(file) {
  const parts = file.split('/')
  for (let length = parts.length; length > 0; length -= 1) {
    const path = parts.slice(0, length).join('/')
    if (path in house) return { path, key: path }
    const starred = `${parts.slice(0, length - 1).join('/')}/*`
    if (length < parts.length && starred in house) return { path, key: starred }
  }
  return undefined
}

/** @param {string[]} allowed @param {string} path @param {string} key */
const opens = (allowed, path, key) => allowed.includes(path) || (key !== path && allowed.includes(key))

/** @param {readonly string[]} allowed @param {string} specifier */
const opensPackage = (allowed, specifier) =>
  allowed.some((name) => specifier === name || specifier.startsWith(/[:/]$/.test(name) ? name : `${name}/`))

/**
 * The fault of an import, or undefined. @param {string} file @param {string} specifier @param {boolean}
 * isType
 */
export function judgeImport(file, specifier, isType) {
  const from = roomOf(file)
  if (!from) return undefined
  const room = /** @type {Room} */ (house[from.key])
  if (!specifier.startsWith('.')) {
    return opensPackage(room.npm ?? [], specifier) ? undefined : `${from.path} may not import ${specifier}`
  }
  const target = posix.join(posix.dirname(file), specifier.replace(/\?.*$/, ''))
  const to = roomOf(target)
  if (to?.path === from.path || (to && opens(room.imports ?? [], to.path, to.key))) return undefined
  if (to && opens(room.types ?? [], to.path, to.key)) {
    return isType ? undefined : `${from.path} may import ${to.path} as a type only (${specifier})`
  }
  return `${from.path} may not import ${to?.path ?? target} (${specifier})`
}

const pure =
  /^src\/([^/]+\.ts$|(core|shape|store|recall|sync|memory|trust|commons|bundle|engine|book|bindings)\/|doors\/[^/]+\.ts$)/

/**
 * The fault of a node of the syntax tree, or undefined: `new Date()` and `Date()` ask a clock.
 * @param {string} file @param {{ type?: string, callee?: { type: string, name?: string }, arguments?: unknown[] }} node
 */
export function judgeClock(file, { type, callee, arguments: args }) {
  const isMade = type === 'NewExpression' || type === 'CallExpression'
  const isNow = type === 'CallExpression' || args?.length === 0
  if (!isMade || !isNow || callee?.type !== 'Identifier' || callee.name !== 'Date' || !pure.test(file))
    return undefined
  return 'time comes through the Clock of core/ports.ts, not through a date without a number'
}
