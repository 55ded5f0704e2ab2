// The package has no types: it is the WebAssembly build of SQLite with one extension more.
declare module 'sqlite-vec-wasm-demo' {
  import type { Sqlite3Static } from '@sqlite.org/sqlite-wasm'
  export default function init(options: { locateFile(): string }): Promise<Sqlite3Static>
}
