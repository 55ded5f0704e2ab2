// Every schedule that once broke a law, by the name of what was wrong.
import { describe, it } from 'vitest'
import { pinned } from './pinned.ts'
import { play } from './play.ts'

describe('never again', () => {
  it.each(pinned)('$was', async ({ steps }) => {
    await play(steps)
  })
})
