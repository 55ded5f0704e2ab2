// Refuses a Node that is too old in words, in place of a fault of whatever it lacks first. The first import of each entry.
// Invariant: it imports nothing, so that it runs before anything else of the package does.

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
// The SQLite of the others has no full-text search.
if (major < 22 || (major === 22 && minor < 16) || major === 23) {
  const message = `Daybook needs Node 22.16, or 24 and newer, and this is ${process.version}. Install another Node and call it again.`
  // The command line says it in one line; a program gets an error that it can catch.
  if (/daybook$|cli\.[jt]s$/.test(process.argv[1] ?? '')) {
    process.stderr.write(`${message}\n`)
    process.exit(2)
  }
  throw new Error(message)
}
