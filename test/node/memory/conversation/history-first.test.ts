// A history that one device was given before another stored its messages: whatever comes first, nothing quotes what is forgotten.
import { afterEach, describe, expect, it } from 'vitest'
import { openTwoDevices } from '../../../support/consent/two-devices.ts'

const word = 'Gerolstein'
const history = [{ content: `I live in ${word}.`, source: { User: 'carl' } }]
const agent = 'us'

const opened: { close(): void }[] = []
afterEach(() => {
  for (const one of opened.splice(0)) one.close()
})

describe.each(['kstar:forget', 'kstar:purge'])('a message that is gone by %s', (verb) => {
  it.each([true, false])(
    'is quoted on no device by what another made of it (synced before: %s)',
    async (isKnown) => {
      const devices = openTwoDevices()
      opened.push(devices)
      const { one, two, sync } = devices
      await one.call('ks:archive_episode', { history, agent })
      await one.call('ks:update_profile', { history, agent })
      if (isKnown) await sync()
      const { id } = await two.call<{ id: string }>('ks:store', { message: history[0], agent })
      await sync()
      const told = async () =>
        JSON.stringify(
          await Promise.all(
            [one, two].map(async ({ call }) => [
              await call('kstar:query_memory', { limit: 100 }),
              await call('ks:get_profile', { agent, user_id: 'carl' }),
              await call('ks:list_episodes', { agent }),
              (await call<{ hits: { record: object }[] }>('daybook:recall', { text: word })).hits,
            ]),
          ),
        )
      expect(await told()).toContain(word)
      await two.call(verb, { id })
      await sync()
      expect(await told()).not.toContain(word)
    },
  )
})
