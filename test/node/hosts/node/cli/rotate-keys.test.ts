// An interrupt of `daybook rotate-keys` while the new key is made.
import { expect, it } from 'vitest'
import { rotateKeys } from '../../../../../src/hosts/node/cli/seal-keys.ts'
import type { CommandContext } from '../../../../../src/hosts/node/cli/command.ts'

it('ends after an interrupt while the new key is made', async () => {
  const source = new AbortController()
  const answers: unknown[] = []
  const book = {
    on: () => () => undefined,
    seal: {
      rotate() {
        source.abort()
        return Promise.resolve({ current: 'k_1' })
      },
      status: () => Promise.resolve({ sealed: 2, toReseal: 2 }),
    },
  }
  await rotateKeys.run({
    terminal: { answer: (value: unknown) => answers.push(value), progress: () => undefined },
    signal: source.signal,
    open: () => Promise.resolve(book),
  } as unknown as CommandContext)
  expect(answers).toEqual([{ sealed: 2, toReseal: 2 }])
})
