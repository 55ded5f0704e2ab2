// The gate that admits a caller before its body is read.
import { expect, it } from 'vitest'
import { BodyMemory, createBodyGate } from '../../../src/edge/body-gate.ts'

const did = 'did:a2p:agent:example:bob'

it('charges a refused body to nobody whom the request only names', async () => {
  const charged: string[] = []
  const book = {
    engine: { audit: { claimedCaller: () => ({ id: did }) } },
    rate: { charge: (caller: string) => void charged.push(caller) },
  }
  const gate = createBodyGate({
    withBook: (_creates: boolean, work: (one: typeof book) => unknown) => Promise.resolve(work(book)),
    eraser: { book: 'alice', tombstone: () => Promise.resolve(undefined) },
    memory: new BodyMemory(),
    waitForTurn: () => Promise.resolve(),
  } as never)
  const pass = await gate.enter({ did }, 'consent:memories')
  pass.reserve(100_000)
  await pass.chargeRefusal()
  expect(charged).toEqual(['stranger'])
})
