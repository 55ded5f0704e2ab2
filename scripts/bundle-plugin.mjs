// What a bundler must be told about this package's own sources, shared by the build and the demo.
// 1. dist/index.js starts `./worker.js`, the sources start `./worker.ts`.
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
              `new URL("${file}", self.location.href)`,
            ),
          code,
        ),
    },
  }
}

/** @returns {import('rolldown').Plugin} */
export function withBuiltWorker() {
  return {
    name: 'daybook:with-built-worker',
    transform: {
      filter: { id: /src\/hosts\/browser\/open-daybook\.ts/ },
      handler: (code) =>
        replaceOnce(
          code,
          `new URL('./worker.ts', import.meta.url)`,
          `new URL('./worker.js', import.meta.url)`,
        ),
    },
  }
}
