// Throws if this version of Node isn't supported. Import it first in each entry.
// Invariant: it imports nothing, so that it runs before the rest of the package.

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
// SQLite of older versions of Node has no full-text search.
if (major < 22 || (major === 22 && minor < 16) || major === 23) {
  const message = `Daybook needs Node 22.16, or 24 and newer, and this is ${process.version}. Install a newer Node and try again.`
  // On the command line, print one line. In a program, throw an error, which the program can catch.
  if (/daybook$|cli\.[jt]s$/.test(process.argv[1] ?? '')) {
    process.stderr.write(`${message}\n`)
    process.exit(2)
  }
  throw new Error(message)
}
