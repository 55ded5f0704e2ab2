// Runs until it is ended from outside.
import { expect, it } from 'vitest'

it('stands still in a page', async () => {
  await new Promise(() => undefined)
  expect.unreachable()
})
