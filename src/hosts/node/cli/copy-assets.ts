// `daybook assets`: copies the files that a page loads besides its bundle, for bundlers that don't copy them.
import { readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Command, UsageError } from './command.ts'
import { makeOwnFolder } from '../port/private-file.ts'
import { unwritable } from './output-file.ts'

/**
 * Files of the package that a page loads by URL. They import only each other and the `worker-*.js` files.
 */
const assetFiles = [
  'tab-hub.js',
  'model-worker.js',
  'meaning.bin',
  'sqlite3.wasm',
  'licenses.txt',
  'worker.js',
]
/** Files that `worker.js` loads when a page needs them; the build names them. */
const isLaterFile = (name: string) => /^worker-.*\.js$/.test(name)

export const copyAssets: Command = {
  name: 'assets',
  summary:
    'Copies worker and WASM for `openDaybook({ assets })`: run it at each build, with the version you bundle.',
  operands: '<folder>',
  options: {},
  help: {},
  async run({ positionals, terminal }) {
    const [folder] = positionals
    if (folder === undefined || positionals.length > 1) throw new UsageError('assets takes one folder')
    if (await isOtherThanFolder(folder)) throw new UsageError(`${folder} is not a folder`)
    // A web server must be able to read these files, unlike the files of a memory.
    process.umask(0o022)
    makeOwnFolder(folder, 0o755)
    // In the built package this code is in the folder of those files.
    const from = fileURLToPath(new URL('./', import.meta.url))
    // `worker.js` is the last file, so that every file that it imports exists already.
    const files = [...(await readdir(from)).filter(isLaterFile).toSorted(), ...assetFiles]
    const parts = files.map((file) => [join(folder, `${file}.part`), join(folder, file)] as const)
    const read = await Promise.all(files.map((file) => readFile(join(from, file))))
    try {
      await Promise.all(parts.map(([part], i) => writeFile(part, read[i] ?? '')))
      // Rename only when all files are written.
      for (const [part, whole] of parts) await rename(part, whole)
    } catch (cause) {
      await Promise.all(parts.map(([part]) => rm(part, { force: true })))
      throw unwritable(folder, cause)
    }
    terminal.answer({ folder, files }, [`${folder}:`, ...files.map((file) => `  ${file}`)].join('\n'))
  },
}

/** False for a missing path: the folder is made then. */
const isOtherThanFolder = async (path: string) =>
  !((await stat(path).catch(() => undefined))?.isDirectory() ?? true)
