// Runs the law of `Keyring` on one implementation.
import { describe, expect, it } from 'vitest'
import { type KeyringCase, keyringCases } from './keyring-case.ts'

/** `run` does case `index` where the keyring lives and answers what came of it. */
export function keyringContract(
  name: string,
  run: (index: number) => Promise<unknown>,
  holds: (one: KeyringCase) => boolean = () => true,
): void {
  describe(`Keyring: ${name}`, () => {
    keyringCases.forEach((one, index) => {
      if (!holds(one)) return
      it(one.title, async () => {
        expect(await run(index)).toEqual(one.expected)
      })
    })
  })
}
