// Makes a short-lived process collect its garbage early: half the memory for some speed. By default V8 lets
// the young
// generation grow to a hundred megabytes while a book is streamed. `serve` lives long and must be fast.
import { setFlagsFromString } from 'node:v8'

// A server and a bridge live long and are to be fast.
if (process.argv[2] !== 'serve')
  for (const flag of ['--semi-space-growth-factor=1', '--optimize-for-size']) setFlagsFromString(flag)
