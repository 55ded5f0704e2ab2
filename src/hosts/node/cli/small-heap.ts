// Imported before the rest of the package: makes V8 collect garbage early, which halves the memory and costs some
// speed. By default the young generation grows to 100 MB while a book is streamed.
import { setFlagsFromString } from 'node:v8'

// `daybook serve` runs for long and must be fast, so it keeps V8's defaults.
if (process.argv[2] !== 'serve')
  for (const flag of ['--semi-space-growth-factor=1', '--optimize-for-size']) setFlagsFromString(flag)
