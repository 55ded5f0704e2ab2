// Keeps SQLite's compiled code in the page while the tests of a file run. Workers of one process share such code as long as
// anybody has it, so that each new one begins with what those before it compiled; it still loads all that it runs itself.
const compiled = await WebAssembly.compileStreaming(fetch('/daybook-worker/sqlite3.wasm'))
addEventListener('pagehide', () => void compiled)
