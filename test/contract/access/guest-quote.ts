// What quotes a memory, asked for over HTTP by somebody whom no policy lets read one: as a device, by verbs, and by tools.
import { expect, it } from 'vitest'
import { type GuestHost, openGuestWorld, trace } from './guest-world.ts'

const at = '2026-01-01T00:00:00.000Z'
const later = '2026-01-02T00:00:00.000Z'

export function guestQuoteCases(host: GuestHost): void {
  it('K6 as a device without a policy fetches no memory, and nothing that may quote one, nor by a verb or tool', async () => {
    const world = openGuestWorld(host)
    const owner = await world.owner()
    const { id } = await owner.done<{ id: string }>('a2p:store_memory', {
      content: 'Allergic to walnuts.',
      category: 'a2p:preferences.food',
    })
    const day = { from: at, to: later, time_zone: 'UTC' }
    const line = { text: 'Allergic to walnuts.', records: [id] }
    const parts = { topics: [], projects: [], people: [], questions: [] }
    await owner.sync([
      {
        id: 'digest::one',
        kind: 'digest',
        body: {
          persona: 'alice',
          period: 'day',
          period_id: '2026-01-01',
          method: 'extractive',
          raw: 1,
          ...day,
          summary: [line],
        },
      },
      {
        id: 'snapshot::one',
        kind: 'snapshot',
        body: {
          persona: 'alice',
          name: 'Alice',
          taken_at: at,
          focus: 'Walnuts',
          focus_records: [id],
          context: { ...parts, decisions: [line] },
        },
      },
      { id: 'backup_part::one', kind: 'backup_part', body: { backup: 'b', number: 0, text: 'walnuts' } },
      { id: 'plain', kind: 'trace', body: trace('tea') },
    ])
    const kinds = [...(await world.records()).values()].map(({ kind }) => kind)
    expect(kinds).toEqual(expect.arrayContaining(['memory', 'digest', 'snapshot', 'backup_part']))
    const seen = async (input: object) => {
      const guest = await world.guest({ permissions: ['sync'], ...input })
      const { changes } = await guest.sync([])
      return [/walnuts/i.test(JSON.stringify(changes)), changes.map((change) => change.id)]
    }
    expect(await seen({ name: 'phone' })).toEqual([false, ['plain']])
    const named = ['trace', 'digest', 'snapshot', 'memory', 'answer', 'pattern']
    expect(await seen({ name: 'tablet', pull: named })).toEqual([false, ['plain']])
    // Nor by any verb or tool, under its name or not.
    const reader = await world.guest({ name: 'reader', permissions: ['read', 'export'] })
    const ids = [id, 'digest::one', 'snapshot::one', 'backup_part::one']
    const asked = [
      ...[{}, ...['memory', 'digest', 'snapshot', 'backup_part'].map((kind) => ({ kind }))].map((input) => [
        'query_memory',
        input,
      ]),
      ...ids.map((one) => ['get_record', { id: one }]),
    ] as [string, object][]
    const asTool = (verb: string, input: { id?: string }): [string, object] =>
      verb === 'get_record' ? ['get', { ref: input.id }] : [verb, input]
    const told = async ({ run, callTool }: typeof reader) => {
      const texts = [(await run('bundle:export', {})).text]
      for (const [verb, input] of asked)
        texts.push((await run(`kstar:${verb}`, input)).text, await callTool(...asTool(verb, input)))
      return texts
    }
    const [bundle = '', all = '', tool = '', ...more] = await told(reader)
    for (const text of [bundle, all, tool]) expect(text).toContain('tea')
    expect([bundle, all, tool, ...more].filter((text) => /walnuts/i.test(text))).toEqual([])
    expect((await told(owner)).filter((text) => /walnuts/i.test(text)).length).toBeGreaterThan(10)
  })
}
