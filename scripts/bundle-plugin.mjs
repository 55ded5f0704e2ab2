// Settings that bundlers need for this package's sources, shared by the build and the demo.
// 1. Files of dist/ name workers and files of dist/, sources those of the sources.
// 2. SQLite's package has parts that Daybook never uses; two of them name workers whose files bundlers would look for,
// and webpack would fail. sqlite3.wasm keeps its URL and is beside the worker.
// 3. The worker is one file that starts, and a file for the verbs of each later chapter.
import { replaceOnce, withoutFiles } from './without-files.mjs'

/**
 * Parts of SQLite's package, each by a text that only it has: an API over messages, and file systems that
 * load-sqlite.ts turns off, so that they would return at once.
 */
const unusedParts = [
  'sqlite3.initWorker1API = function',
  'sqlite3.config.disable?.vfs?.kvvfs) return',
  'sqlite3.config.disable.vfs["opfs-vfs"]) return',
  'sqlite3.config.disable?.vfs?.opfs) return',
  'sqlite3.config.disable?.vfs?.["opfs-wl"]) return',
]
const partStart = '\t\tglobalThis.sqlite3ApiBootstrap.initializers.push(function(sqlite3) {\n'
const partEnd = '\n\t\t});\n'

/** `code` without the part that has this text. @param {string} code @param {string} text */
function withoutPart(code, text) {
  const at = code.indexOf(text)
  const from = code.lastIndexOf(partStart, at)
  const to = code.indexOf(partEnd, at)
  if (at < 0 || from < 0 || to < 0 || code.includes(text, to)) throw new Error(`Expected exactly one ${text}`)
  return code.slice(0, from) + code.slice(to + partEnd.length)
}

/** The client of the API over messages. @param {string} code */
function withoutPromiser(code) {
  const from = code.indexOf('//#region src/bin/sqlite3-worker1-promiser.mjs')
  const to = code.indexOf('//#region src/browser.ts')
  if (from < 0 || to < from) throw new Error('Expected the region of sqlite3-worker1-promiser.mjs')
  const name = 'sqlite3_worker1_promiser_default'
  return replaceOnce(code.slice(0, from) + code.slice(to), name, 'undefined')
}

/** @returns {import('rolldown').Plugin} */
export function withoutUnusedSqlite() {
  return {
    name: 'daybook:without-unused-sqlite',
    transform: {
      filter: { id: /@sqlite\.org\/sqlite-wasm\/dist\/index\.mjs/ },
      handler: (code) => withoutFiles(withoutPromiser(unusedParts.reduce(withoutPart, code))),
    },
  }
}

/**
 * Resolves relative names in schemas against one fixed URL. The package would use the URL of its script,
 * which a worker from a blob lacks.
 *
 * @returns {import('rolldown').Plugin}
 */
export function withFixedSchemaBase() {
  return {
    name: 'daybook:with-fixed-schema-base',
    transform: {
      filter: { id: /@cfworker\/json-schema\/dist\/esm\/dereference\.js/ },
      handler: (code) => replaceOnce(code, "self.location.origin !== 'null'", 'false'),
    },
  }
}

/** Modules of zod that describe schemas as JSON Schema. Only tools for models need them, which load later. */
const jsonSchemaOfZod = /zod\/v4\/core\/(?:json-schema-processors|to-json-schema)\.js$/

/**
 * For `~standard.jsonSchema` of a schema: only the names of the fields at each path, which is all that core reads of
 * it. Inner schemas are read when used, because a schema may contain itself.
 */
const fieldsOnly = `
const whenRead = (shape) => Object.defineProperties({}, Object.fromEntries(
  Object.entries(shape).map(([name, schema]) => [name, { enumerable: true, get: () => shapeOf(schema) }])));
const shapeOf = ({ _zod: { def } }) =>
  def.shape ? { properties: whenRead(def.shape) }
  : def.element ? { get items() { return shapeOf(def.element); } }
  : def.valueType ? { get additionalProperties() { return shapeOf(def.valueType); } }
  : def.options ? { get anyOf() { return def.options.map(shapeOf); } }
  : def.type === 'nullable' ? { get anyOf() { return [shapeOf(def.innerType)]; } }
  : def.in ? shapeOf(def.in)
  : def.innerType ? shapeOf(def.innerType)
  : def.getter ? shapeOf(def.getter()) : {};
const createStandardJSONSchemaMethod = (schema) => () => shapeOf(schema);
const createToJSONSchemaMethod = undefined, processors = {};
`

/**
 * Schemas without their own functions for JSON Schema. `z.toJSONSchema` then takes the function for their type, which is
 * the same one; `schema.toJSONSchema()` and a few getters, such as `minLength`, are for nobody here and throw.
 *
 * @returns {import('rolldown').Plugin}
 */
export function withoutOwnJsonSchema() {
  return {
    name: 'daybook:without-own-json-schema',
    transform: {
      filter: { id: /zod\/v4\/classic\/schemas\.js$/ },
      handler(code) {
        const own = /^ *inst\._zod\.processJSONSchema = .*\n/gm
        if (code.match(own)?.length !== code.split('processJSONSchema').length - 1)
          throw new Error('Expected each processJSONSchema in a line of its own')
        const methods =
          'import { createStandardJSONSchemaMethod, createToJSONSchemaMethod } from "../core/to-json-schema.js";'
        const processors = 'import * as processors from "../core/json-schema-processors.js";'
        // The words of zod: core says its issues in its own.
        const english = 'import en from "../locales/en.js";'
        const silent = replaceOnce(code, english, 'const en = () => ({});')
        const slim = replaceOnce(replaceOnce(silent.replaceAll(own, ''), processors, ''), methods, fieldsOnly)
        return withoutFormats(slim)
      },
    },
  }
}

/**
 * Strings without methods for formats, such as `z.string().email()`: they keep the patterns of all formats.
 *
 * @param {string} code
 */
function withoutFormats(code) {
  const from = code.indexOf('}, {\n    email(params) {')
  const last =
    '    duration(params) {\n        return this.check(core._isoDuration(ZodISODuration, params));\n    },\n'
  const to = code.indexOf(last, from) + last.length
  if (from < 0 || to < last.length) throw new Error('Expected the formats of a string')
  return `${code.slice(0, from)}${code.slice(to)}`
}

/** The comments of the tables' SQL are for readers of the sources. @returns {import('rolldown').Plugin} */
export function withoutSqlComments() {
  return {
    name: 'daybook:without-sql-comments',
    transform: {
      filter: { id: /src\/store\/schema\/(?:schema|derived)\.ts$/ },
      handler: (code) => code.replaceAll(/^ *-- .*\n/gm, ''),
    },
  }
}

/** Makes a page's worker smaller than its sources. */
export const slimWorker = () => [withoutUnusedSqlite(), withoutOwnJsonSchema(), withoutSqlComments()]

/**
 * Modules that name a worker or a file by its address, the address among the sources, and that in dist/. @type {[string,
 * string, string][]}
 */
const addresses = [
  ['src/hosts/browser/page/open-daybook.ts', '../worker.ts', './worker.js'],
  ['src/hosts/browser/tab/page-hub.ts', './tab-hub.ts', './tab-hub.js'],
  ['src/hosts/browser/local.ts', './model-worker.ts', './model-worker.js'],
  ['src/hosts/node/model/node-embedder.ts', '../model-worker.ts', './node-model-worker.js'],
  ['src/hosts/browser/meaning.ts', '../../../assets/meaning.bin', './meaning.bin'],
  ['src/hosts/node/model/table-file.ts', '../../../../assets/meaning.bin', './meaning.bin'],
]

/** @returns {import('rolldown').Plugin} */
export function withBuiltWorker() {
  return {
    name: 'daybook:with-built-worker',
    transform: {
      filter: {
        id: /src\/hosts\/(?:browser|node)\/(?:\w+\/)?(?:open-daybook|page-hub|local|meaning|node-embedder|table-file)\.ts/,
      },
      handler(code, id) {
        const found = addresses.find(([file]) => id.replaceAll('\\', '/').includes(file))
        if (!found) return code
        const [, from, to] = found
        return replaceOnce(code, `new URL('${from}', import.meta.url)`, `new URL('${to}', import.meta.url)`)
      },
    },
  }
}

/**
 * Places all that a worker needs at its start in one file, which its later files import too, all beside it. The worker
 * itself only loads that file.
 *
 * @returns {{ input: import('rolldown').InputOptions, output: import('rolldown').OutputOptions }}
 */
export function splitWorker() {
  /** @type {Set<string>} */
  const atStart = new Set()
  return {
    input: {
      preserveEntrySignatures: 'strict',
      plugins: [
        {
          name: 'daybook:split-worker',
          buildEnd() {
            const add = (/** @type {string} */ id) => {
              if (atStart.has(id) || jsonSchemaOfZod.test(id)) return
              atStart.add(id)
              for (const imported of this.getModuleInfo(id)?.importedIds ?? []) add(imported)
            }
            for (const id of this.getModuleIds()) {
              const info = this.getModuleInfo(id)
              if (info?.isEntry)
                for (const start of [...info.importedIds, ...info.dynamicallyImportedIds]) add(start)
            }
          },
        },
      ],
    },
    output: {
      entryFileNames: '[name].js',
      chunkFileNames: 'worker-[name]-[hash].js',
      codeSplitting: {
        groups: [
          { name: 'start', test: (id) => atStart.has(id) || id.includes('rolldown/runtime'), priority: 2 },
          { name: 'bundle', test: /\/src\/bundle\//, priority: 1 },
          { name: 'shape', test: /\/src\/(?:core|shape)\//, priority: 1 },
        ],
      },
    },
  }
}
