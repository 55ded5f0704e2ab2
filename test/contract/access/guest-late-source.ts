// At a mirror, what a device made of a history without ids is read by nobody who is denied a message that says the same, whichever
// of both came first, and goes with it.
import { describe, expect, it } from 'vitest'
import { awaitedKey } from '../../../src/core/kind.ts'
import { type GuestHost, openGuestWorld } from './guest-world.ts'

const content = 'I live in Reykjavik.'
const word = /reykjavik/i
const at = '2026-02-01T10:00:00.000Z'
const key = awaitedKey('said', 'tester', content, '')
const message = {
  kind: 'message',
  id: 'message::late',
  session: 'private',
  body: { msg_id: '', content, source: { type: 'User', id: 'ann' }, timestamp: at, metadata: {} },
}
const made = {
  episode: {
    summary: content,
    keywords: ['Reykjavik'],
    message_count: 1,
    messages: [],
    lines: [key],
    method: 'extractive',
  },
  profile: {
    user_id: 'ann',
    content: 'home: Reykjavik',
    facts: {
      'home: reykjavik': {
        attribute: 'home',
        value: 'Reykjavik',
        since: at,
        stated_at: at,
        messages: [],
        lines: [key],
      },
    },
  },
} as const
const kinds = ['episode', 'profile'] as const

export function guestLateSourceCases(host: GuestHost): void {
  describe.each(kinds)('%s that a device made of a history without ids', (kind) => {
    const id = `${kind}-late`
    const op = { kind, id, body: made[kind] }
    type Asker = Awaited<ReturnType<ReturnType<typeof openGuestWorld>['guest']>>
    /** All that is told of it. */
    const told = async (one: Asker): Promise<string> => {
      const answers = [
        await one.run('kstar:query_memory', { kind, includeOutdated: true }),
        await one.run('kstar:get_record', { id }),
        await one.run('kstar:history', { id }),
        await one.run('kstar:search_memory', { query: 'Reykjavik' }),
        await one.run('daybook:recall', { text: 'Where does Ann live? Reykjavik', limit: 50 }),
        await one.run('recall:context', { text: 'Reykjavik' }),
        await one.run('recall:explain', { text: 'Where does Ann live? Reykjavik', id }),
        await one.run('ks:get_profile', { user_id: 'ann' }),
      ]
      for (const { status, text } of answers)
        expect([status === 200 || status === 404, text]).toEqual([true, text])
      return answers.map(({ text }) => text).join('\n')
    }
    const opened = async () => {
      const world = openGuestWorld(host)
      const permissions = ['read']
      const denied = await world.guest({ name: 'denied', permissions, deny: ['session:private'] })
      const trusted = await world.guest({ name: 'trusted', permissions })
      return { world, owner: await world.owner(), denied, trusted }
    }

    it.each([
      ['after its message', [message, op]],
      ['before it', [op, message]],
    ] as const)('is told to nobody who is denied its message: %s', async (_order, ops) => {
      const { owner, denied, trusted } = await opened()
      for (const one of ops) await owner.sync([one])
      expect(await told(trusted)).toMatch(word)
      expect(await told(denied)).not.toMatch(word)
      await owner.sync([{ op: 'forget', kind: 'message', id: message.id, base: 1 }])
      for (const one of [denied, trusted]) expect(await told(one)).not.toMatch(word)
    })
  })
}
