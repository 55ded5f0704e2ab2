// What comes of it when somebody sends under the name of a device that is not his: the name is no secret, it stands beside
// every record that the device wrote.
import { expect, it } from 'vitest'
import { body, expectSame, failure, id, textOf } from './mirror-case.ts'
import { createWorld, type DatabaseHost, type World } from './mirror-world.ts'

type Hostile = (
  send: (over: object) => Promise<unknown>,
  at: { lastMid: number; head: number },
) => Promise<unknown>

const at = '2026-01-01T00:00:00.000Z'
const op = (mid: number, record: string, text: string) => ({
  mid,
  kind: 'local_wins',
  id: record,
  op: 'put',
  base: 0,
  stamp: '019b00000000-0000-d_strange',
  at,
  created_at: at,
  agent: 'stranger',
  body: body(text),
})
const pull = (cursor: number) => ({ pull: { cursor, limit: 1000, maxBytes: 100_000 } })

const attempts: Record<string, Hostile> = {
  'says that it has the answers': (send, { lastMid }) => send({ ackedMid: lastMid }),
  'takes the next numbers': (send, { lastMid }) =>
    send({ ops: [1, 2, 3].map((n) => op(lastMid + n, `strange-${n}`, 'of a stranger')) }),
  'says that it has read everything': (send, { head }) => send(pull(head)),
  'does all of it, again and again': async (send, { lastMid, head }) => {
    for (let n = 1; n <= 5; n++) {
      await send({
        ackedMid: lastMid + n - 1,
        ...pull(head),
        ops: [op(lastMid + n, `strange-${n}`, 'of a stranger')],
      })
    }
  },
}

async function strange(world: World, device: string, hostile: Hostile): Promise<void> {
  const { epoch, at: place } = await world.mirror.look((store) => ({
    epoch: store.settings.get('epoch'),
    at: { lastMid: store.devices.lastMid(device), head: store.settings.getNumber('head') },
  }))
  const request = { p: 1, device, epoch, ackedMid: 0, schema: 1, ops: [], ...pull(0) }
  await hostile((over) => world.mirror.exchange({ ...request, ...over }), place)
}

export function namesakeCases(host: DatabaseHost): void {
  it.each(Object.entries(attempts))(
    'M9 somebody else under the name of a device %s: the device loses nothing, and all come to be the same',
    async (_name, hostile) => {
      const world = createWorld(host)
      const [a, b] = [world.device('a'), world.device('b')]
      await a.put('local_wins', id(1), body('first'))
      await a.put('merge', id(2), { text: 'first', tags: ['one'] })
      await a.sync()
      await b.sync()
      const name = await a.look((store) => store.device)
      // In the middle of everything: an answer is missing, a change of it is on top, others are unsent.
      await a.put('local_wins', id(1), body('sent'))
      await a.put('merge', id(2), { text: 'first', tags: ['one', 'of a'] })
      await a.put('local_wins', id(3), body('new'))
      a.faults('lose-answer')
      await failure(a.sync())
      await a.put('local_wins', id(1), body('on top'))
      await a.put('local_wins', id(4), body('unsent'))
      await b.put('merge', id(2), { text: 'first', tags: ['one', 'of b'] })
      await b.sync()
      await strange(world, name, hostile)
      await a.sync()
      // And at rest.
      await a.put('local_wins', id(5), body('later'))
      await strange(world, await a.look((store) => store.device), hostile)
      await a.sync()
      await b.sync()
      await a.sync()
      await expectSame(a, b, world.mirror)
      expect([
        await textOf(b),
        await textOf(b, id(3)),
        await textOf(b, id(4)),
        await textOf(b, id(5)),
      ]).toEqual(['on top', 'new', 'unsent', 'later'])
      expect((await b.get(id(2)))?.['tags']).toEqual(['one', 'of a', 'of b'])
      expect(await a.state()).toMatchObject({ pending: 0, refused: 0, repairs: 0 })
    },
  )

  it('M9 somebody else under the name of a device is given none of the answers that wait for it', async () => {
    const world = createWorld(host)
    const a = world.device('a')
    await a.put('local_wins', id(1), body('private'))
    a.faults('lose-answer')
    await failure(a.sync())
    const name = await a.look((store) => store.device)
    await strange(world, name, async (send) => {
      expect(await failure(send({ ops: [op(1, id(1), 'a guess')] }))).toMatchObject({ code: 'device-forked' })
    })
    expect(await a.sync()).toMatchObject({ pushed: 1 })
    expect(await a.look((store) => store.device)).toBe(name)
  })
}
