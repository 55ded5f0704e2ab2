// Lets a short-lived process collect its garbage early instead of growing: half the memory for some of the speed.
// By default V8 lets the young generation of a process that streams a book grow to a hundred megabytes.
import { setFlagsFromString } from 'node:v8'

// A server and a bridge live long and are to be fast.
if (process.argv[2] !== 'serve')
  for (const flag of ['--semi-space-growth-factor=1', '--optimize-for-size']) setFlagsFromString(flag)
