// A run of tests in Node without one guard of the product, which DAYBOOK_SABOTAGE names: see sabotage.ts.
import { defineConfig } from 'vitest/config'
import { root } from '../scripts/place.mjs'
import { withoutGuard } from './sabotage.ts'

export default defineConfig({
  root,
  plugins: [withoutGuard(process.env['DAYBOOK_SABOTAGE'] ?? '')],
  test: {
    environment: 'node',
    include: ['test/node/**/*.test.ts'],
    // Half of them hang without their guard, and are waited for.
    testTimeout: 20_000,
    maxWorkers: 1,
    pool: 'threads',
  },
})
