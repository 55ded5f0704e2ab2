// Settings that bundlers need for this package's sources, shared by the build and the demo.
// 1. Files of dist/ start workers of dist/, sources those of the sources.
// 2. SQLite's package names two workers that Daybook never starts. Bundlers would look for their files, and
// webpack would fail, so their URLs are hidden; sqlite3.wasm keeps its URL and is beside the worker.

const unusedWorkers = ['sqlite3-opfs-async-proxy.js', 'sqlite3-worker1.mjs']

/** Throws unless the text occurs exactly once, so that a new version of a package doesn't slip through. */
function replaceOnce(/** @type {string} */ code, /** @type {string} */ from, /** @type {string} */ to) {
  if (code.split(from).length !== 2) throw new Error(`Expected exactly one ${from}`)
  return code.replace(from, () => to)
}

/** @returns {import('rolldown').Plugin} */
export function withoutUnusedWorkers() {
  return {
    name: 'daybook:without-unused-workers',
    transform: {
      filter: { id: /@sqlite\.org\/sqlite-wasm\/dist\/index\.mjs/ },
      handler: (code) =>
        unusedWorkers.reduce(
          (text, file) =>
            replaceOnce(
              text,
              `new URL("${file}", import.meta.url)`,
              // The origin: a worker from a blob has no base URL.
              `new URL("${file}", self.location.origin)`,
            ),
          code,
        ),
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

/**
 * Modules that start a worker, the source they name, and its file in dist/. @type {[string, string,
 * string][]}
 */
const workers = [
  ['src/hosts/browser/page/open-daybook.ts', '../worker.ts', './worker.js'],
  ['src/hosts/browser/tab/page-hub.ts', './tab-hub.ts', './tab-hub.js'],
  ['src/hosts/browser/local.ts', './model-worker.ts', './model-worker.js'],
  ['src/hosts/node/model/node-embedder.ts', '../model-worker.ts', './node-model-worker.js'],
]

/** @returns {import('rolldown').Plugin} */
export function withBuiltWorker() {
  return {
    name: 'daybook:with-built-worker',
    transform: {
      filter: {
        id: /src\/hosts\/(?:browser|node)\/(?:\w+\/)?(?:open-daybook|page-hub|local|node-embedder)\.ts/,
      },
      handler(code, id) {
        const found = workers.find(([file]) => id.replaceAll('\\', '/').includes(file))
        if (!found) return code
        const [, from, to] = found
        return replaceOnce(code, `new URL('${from}', import.meta.url)`, `new URL('${to}', import.meta.url)`)
      },
    },
  }
}
