// Earlier versions that another device wrote: not here, and at the mirror for whoever asks it, which is `daybook serve`.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openDaybook } from '../../../src/hosts/node/index.ts'
import { skipped } from '../hosts/node/postgres/postgres-world.ts'
import { createServeWorld } from '../hosts/node/serve/serve-world.ts'

const { device, closing, start, open, close } = createServeWorld()

describe.skipIf(skipped !== '')(`The history at the mirror${skipped}`, () => {
  beforeAll(open)
  afterAll(close)

  it('has the versions of every device, which no other device has', async () => {
    const { url } = await start()
    const [one, two] = [await device(url, 'versions'), await device(url, 'versions')]
    const { id } = await one.facts.store({ schema: 'city', data: { lives_in: 'Prague' } })
    await one.sync()
    for (const lives_in of ['Lisbon', 'Porto']) {
      await one.facts.store({ id, schema: 'city', data: { lives_in } })
      await one.sync()
    }
    await two.sync()
    const said = (page: { versions: readonly { body?: object | undefined }[] }) =>
      page.versions.map(({ body }) => (body as { data: { lives_in: string } }).data.lives_in)
    expect(said(await two.facts.history({ id }))).toEqual(['Porto'])
    const asked = await two.facts.history({ id, where: 'mirror' })
    expect(said(asked)).toEqual(['Prague', 'Lisbon', 'Porto'])
    expect(asked.versions.map(({ version }) => version)).toEqual([1, 2, 3])
    // Asking changes nothing here.
    expect(said(await two.facts.history({ id }))).toEqual(['Porto'])
    await expect(two.facts.history({ id: 'nothing', where: 'mirror' })).rejects.toMatchObject({
      code: 'not-found',
    })
  })

  it('names session and resource of each version, as the history of the device does', async () => {
    const { url } = await start()
    const one = await device(url, 'scoped')
    const scope = { session: 'monday', resource: 'atlas' }
    const { id } = await one.facts.store({ schema: 'city', data: { n: 1 }, ...scope })
    await one.sync()
    const { versions } = await one.facts.history({ id, where: 'mirror' })
    expect(versions).toMatchObject([scope])
    expect(versions).toEqual((await one.facts.history({ id })).versions)
  })

  it('opens sealed versions where the keys are, and shows elsewhere that they are sealed', async () => {
    const { url } = await start()
    const one = await device(url, 'sealed')
    await one.seal.guard({ passphrase: 'correct horse battery staple' })
    const { id } = await one.facts.store({ schema: 'city', data: { n: 1 }, sensitivity: 'sensitive' })
    await one.sync()
    await one.facts.store({ id, schema: 'city', data: { n: 2 } })
    await one.sync()
    const { versions } = await one.records.history({ id, where: 'mirror' })
    expect(versions).toMatchObject([{ body: { data: { n: 1 } } }, { body: { data: { n: 2 } } }])
    expect(JSON.stringify(versions)).not.toMatch(/opaque|sealed/)
    await one.seal.lock()
    const locked = await one.records.history({ id, where: 'mirror' })
    expect(locked.versions.map(({ body, sealed }) => [body, sealed?.alg])).toEqual([
      [undefined, 'A256GCM'],
      [undefined, 'A256GCM'],
    ])
    expect(JSON.stringify(locked)).not.toContain('opaque')
  })

  it('is for the owner alone, and for a book that has a mirror', async () => {
    const { url } = await start()
    const book = await device(url, 'owned')
    const { id } = await book.facts.store({ schema: 'city', data: {} })
    await book.sync()
    const { token } = await book.tokens.grant({
      scope: '**',
      permissions: ['read'],
      granted_to: 'reader',
      expires_at: '2099-01-01T00:00:00Z',
    })
    expect((await book.with({ as: token.token_id }).facts.history({ id })).versions).toHaveLength(1)
    await expect(
      book.with({ as: token.token_id }).facts.history({ id, where: 'mirror' }),
    ).rejects.toMatchObject({
      code: 'forbidden',
      details: { path: 'where' },
    })
    const alone = await openDaybook({ name: 'alone', path: ':memory:' })
    closing.push(() => alone.close())
    await expect(alone.facts.history({ id, where: 'mirror' })).rejects.toMatchObject({ code: 'sync-off' })
  })
})
