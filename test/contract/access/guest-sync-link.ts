// The ids of other records in what a guest's device fetches and sends back, over HTTP.
import { expect, it } from 'vitest'
import { type GuestHost, openGuestWorld, trace } from './guest-world.ts'

export function guestSyncLinkCases(host: GuestHost): void {
  it('K9 as a device is given no id of a record that it may not fetch, and takes none away by sending back', async () => {
    const world = openGuestWorld(host)
    const owner = await world.owner()
    const belief = (evidence: readonly string[], content = 'c') => ({
      id: 'belief',
      kind: 'perception',
      body: { type: 'note', content, confidence: 1, evidence },
    })
    await owner.sync([
      { id: 'a-trace', kind: 'trace', body: trace('hidden') },
      { id: 'a-fact', kind: 'fact', body: { schema: 's', data: {}, verified: false } },
      belief(['a-trace', 'a-fact']),
    ])
    const guest = await world.guest({
      permissions: ['sync'],
      pull: ['perception', 'fact'],
      push: ['perception'],
    })
    const given = await guest.sync([])
    const fetched = given.changes.find(({ id }) => id === 'belief')
    expect(fetched?.body?.['evidence']).toEqual(['a-fact'])
    expect(JSON.stringify(given)).not.toContain('a-trace')
    // It is shown no more where its edit loses, and where both sides are told.
    const late = await guest.sync([{ ...belief(['a-fact'], 'late'), base: 0 }])
    expect(late.results.map(({ s }) => s)).toEqual(['conflict'])
    expect(JSON.stringify(late)).not.toContain('a-trace')
    const { results } = await guest.sync([{ ...belief(['a-fact'], 'edited'), base: 1 }])
    expect(results.map(({ s }) => s)).toEqual(['ok'])
    const after = (await world.records()).get('belief')?.body
    expect(after).toMatchObject({ content: 'edited', evidence: ['a-trace', 'a-fact'] })
    await guest.sync([{ ...belief([], 'none'), base: 2 }])
    expect((await world.records()).get('belief')?.body).toMatchObject({
      content: 'none',
      evidence: ['a-trace'],
    })
  })
}
