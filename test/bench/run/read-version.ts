// Which versions were measured: of the packages as installed, not as asked for.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../../..')
const packages = {
  idb: 'idb',
  dexie: 'dexie',
  rxdb: 'rxdb',
  pouchdb: 'pouchdb-browser',
  sqlocal: 'sqlocal',
  'wa-sqlite': 'wa-sqlite',
  pglite: '@electric-sql/pglite',
  minisearch: 'minisearch',
  orama: '@orama/orama',
  fts5: '@sqlite.org/sqlite-wasm',
}

/** Versions by the peers' keys. */
export function readVersions(): Record<string, string> {
  const read = (folder: string) =>
    String(JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')).version)
  const peers = Object.entries(packages).map(([key, name]) => [key, read(join('node_modules', name))])
  return { daybook: read('.'), ...Object.fromEntries(peers) }
}
