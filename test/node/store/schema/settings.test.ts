// Settings in memory never differ from the table, whichever transaction is undone.
import { describe, expect, it } from 'vitest'
import { openNodeDatabase } from '../../../../src/hosts/node/book/node-database.ts'
import { migrate } from '../../../../src/store/schema/version.ts'
import { Settings, cacheSettings } from '../../../../src/store/schema/settings.ts'

function open() {
  const given = openNodeDatabase({ path: ':memory:' })
  migrate(given, '2026-01-01T00:00:00.000Z')
  let reads = 0
  const counted = {
    ...given,
    get: (...input: Parameters<typeof given.get>) => {
      reads += 1
      return given.get<never>(...input)
    },
  }
  const { db, settings } = cacheSettings(counted)
  const stored = new Settings(given)
  return { db, settings, stored, reads: () => reads }
}

const undo = new Error('undone on purpose')

describe('settings in memory', () => {
  it('read each setting once, also one that is not there', () => {
    const { settings, reads } = open()
    for (let i = 0; i < 3; i++) {
      expect(settings.get('epoch')).toBeUndefined()
      expect(settings.getNumber('head')).toBe(0)
    }
    settings.set('head', 7)
    expect(settings.getNumber('head')).toBe(7)
    expect(reads()).toBe(2)
  })

  it('go back with the transaction that set them', () => {
    const { db, settings, stored } = open()
    settings.set('head', 1)
    expect(() =>
      db.transaction(() => {
        settings.set('head', 2)
        settings.set('floor', 3)
        settings.remove('head')
        throw undo
      }),
    ).toThrow(undo)
    expect([settings.get('head'), settings.get('floor')]).toEqual(['1', undefined])
    expect(stored.get('head')).toBe('1')
  })

  it('go back where what `holding` writes at its end is undone', () => {
    const { db, settings } = open()
    expect(() =>
      db.transaction(() => {
        settings.batchWrites(() => settings.set('head', 2))
        throw undo
      }),
    ).toThrow(undo)
    expect(settings.get('head')).toBeUndefined()
  })

  it('forget what `holding` could not write', () => {
    const { settings, stored } = open()
    const failing = () =>
      settings.batchWrites(() => {
        settings.set('head', 2)
        expect(settings.getNumber('head')).toBe(2)
        throw undo
      })
    expect(failing).toThrow(undo)
    expect([settings.get('head'), stored.get('head')]).toEqual([undefined, undefined])
  })

  it('lose a range that is removed', () => {
    const { settings } = open()
    settings.set('sum:fact', '1 2 3')
    settings.set('summer', 1)
    settings.removeRange('sum:', 'sum;')
    expect([settings.get('sum:fact'), settings.get('summer')]).toEqual([undefined, '1'])
  })

  it('are read anew after `forget`', () => {
    const { settings, stored } = open()
    settings.set('head', 1)
    stored.set('head', 2)
    settings.clearCache()
    expect(settings.getNumber('head')).toBe(2)
  })
})
