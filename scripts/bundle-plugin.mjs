// What a bundler must be told about this package's own sources, shared by the build and the demo.
// 1. The files of dist/ start workers of dist/, the sources those of the sources.
// 2. SQLite's package also names two workers that Daybook never starts. Bundlers would look for their files and
//    webpack would fail, so their addresses are made opaque; sqlite3.wasm keeps its own, and lies beside the worker.

const unusedWorkers = ['sqlite3-opfs-async-proxy.js', 'sqlite3-worker1.mjs']

/** Throws when the text is not there exactly once: a new version of a package must not pass unread. */
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
              // The origin, for a worker that began as a blob has no address to go on from.
              `new URL("${file}", self.location.origin)`,
            ),
          code,
        ),
    },
  }
}

/**
 * Relative names in schemas are resolved against one address everywhere. The package would take that of its script, and a
 * worker that began as a blob has none that it could take.
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

/** The modules that start a worker, the source they name, and the file of dist/ that it becomes. @type {[string, string, string][]} */
const workers = [
  ['src/hosts/browser/page/open-daybook.ts', '../worker.ts', './worker.js'],
  ['src/hosts/browser/tab/page-hub.ts', './tab-hub.ts', './tab-hub.js'],
  ['src/hosts/browser/local.ts', './model-worker.ts', './model-worker.js'],
  ['src/hosts/node/model/model-host.ts', '../model-worker.ts', './node-model-worker.js'],
]

/** @returns {import('rolldown').Plugin} */
export function withBuiltWorker() {
  return {
    name: 'daybook:with-built-worker',
    transform: {
      filter: {
        id: /src\/hosts\/(?:browser|node)\/(?:\w+\/)?(?:open-daybook|page-hub|local|model-host)\.ts/,
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
