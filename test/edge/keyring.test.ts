// The keyring of the edge: it verifies what others signed, and has no key of its own.
import { expect, it } from 'vitest'
import { workerKeyring } from '../../worker/worker-ports.ts'
import { keyringCases } from '../contract/port/keyring-case.ts'
import { keyringContract } from '../contract/port/keyring.ts'

keyringContract(
  'workerd, which keeps no private key',
  async (index) => keyringCases[index]?.run(() => workerKeyring),
  ({ signs }) => !signs,
)

it('has no signer', async () => {
  expect(await workerKeyring.signer()).toBeUndefined()
})
