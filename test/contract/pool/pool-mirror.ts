// The pool at the mirror of a book: what it knows can be read there, and only a device takes part.
import { expect, it } from 'vitest'
import { type BookCase, failure } from '../book-case.ts'

export function mirrorPoolCases({ book: open }: BookCase): void {
  it('shows at the mirror what the pool knows, and refuses with the place what only a device does', async () => {
    const book = await open()
    expect(await book.pool.listProposals()).toEqual({ proposals: [] })
    expect(await book.pool.facts({ versions: true })).toEqual({ facts: [] })
    const { config } = await book.pool.configure({ group: 'ops' })
    expect(config).toMatchObject({ group: 'ops', verify: 'require' })
    const words = { statement: 'What is so.', tags: ['ops'] }
    for (const call of [
      () => book.pool.propose(words),
      () => book.pool.publish({ record: 'fact_1', tags: ['ops'] }),
      () => book.pool.vote({ proposal: 'kp-1', vote: 'yes' }),
      () => book.pool.announce({ capabilities: ['db.read'] }),
      () => book.pool.takeIn({ envelope: '{}' }),
      () => book.pool.claws(),
      () => book.pool.whoCan({ capability: 'db.read' }),
      () => book.pool.audit(),
      () => book.pool.admit({ claw: 'ada@far' }),
      () => book.pool.letGo({ claw: 'ada@far' }),
    ])
      expect(await failure(call())).toMatchObject({
        code: 'runs-elsewhere',
        details: { runs: 'device', here: 'mirror' },
      })
    expect(await book.pool.listProposals()).toEqual({ proposals: [] })
  })
}
