// One list tells what this machine is called, and one number how short a key may be, for every host and for `npm start`.
import { describe, expect, it, test } from 'vitest'
import { hasShortKey, minKeyLength as minKeyLengthToStart } from '../../../scripts/edge-key.mjs'
import {
  hideKeys,
  checkKeyLength,
  hostInUrl,
  isOwnAddress,
  isOwnMachine,
  isOwnName,
  minKeyLength,
} from '../../../src/core/address.ts'
import { isAllowedOrigin, isOwnMachineRequest } from '../../../src/doors/http/request/guard.ts'

describe('this machine', () => {
  test.each(['localhost', '127.0.0.1', '[::1]'])('is called %s by every part', (name) => {
    expect(isOwnName(name)).toBe(true)
    expect(isOwnMachine(`http://${name}:8787/embed`)).toBe(true)
    expect(isOwnMachineRequest(new Request(`http://${name}:8787/`))).toBe(true)
    expect(isAllowedOrigin(`http://${name}:8787`)).toBe(true)
    expect(isAllowedOrigin(`https://${name}`)).toBe(true)
  })

  test.each(['localhost.example.org', '127.0.0.2', 'x@localhost', '[::2]', 'example.org'])(
    'is not called %s',
    (name) => {
      expect(isOwnName(name)).toBe(false)
      expect(isOwnMachine(`http://${name}:8787/embed`)).toBe(false)
      expect(isAllowedOrigin(`http://${name}:8787`)).toBe(false)
    },
  )

  it('is named by an origin only when that is nothing but an origin', () => {
    for (const one of [
      'http://localhost/',
      'http://localhost:8787/path',
      'ftp://localhost',
      'LOCALHOST',
      'null',
    ])
      expect(isAllowedOrigin(one)).toBe(false)
  })

  it('answers itself from 127.0.0.0/8 and from ::1', () => {
    for (const ip of ['127.0.0.1', '127.8.9.255', '::1']) expect(isOwnAddress(ip)).toBe(true)
    for (const ip of ['128.0.0.1', '10.127.0.1', '::2', '::ffff:10.0.0.1', ''])
      expect(isOwnAddress(ip)).toBe(false)
  })

  it('has brackets around an IPv6 address in a URL', () => {
    expect(['::1', 'localhost', '127.0.0.1'].map(hostInUrl)).toEqual(['[::1]', 'localhost', '127.0.0.1'])
  })
})

describe('a key', () => {
  it('has as many characters for `npm start` as for the edge', () => {
    expect(minKeyLengthToStart).toBe(minKeyLength)
  })

  it('is refused one character below, and taken at the limit', () => {
    const key = 'k'.repeat(minKeyLength)
    expect(checkKeyLength(key, 'key')).toBe(key)
    expect(() => checkKeyLength(key.slice(1), 'key')).toThrow(
      /at least 16 characters: a shorter key can be guessed/,
    )
    expect(hasShortKey(`${key}, ${key}`)).toBe(false)
    expect(hasShortKey(`${key} ${key.slice(1)}`)).toBe(true)
    expect([hasShortKey(), hasShortKey('')]).toEqual([false, false])
  })
})

describe('hideKeys', () => {
  it.each([
    ['/books/dbk1.SECRET', '/books/dbk1.…'],
    ['/books%2Fdbt2.SECRET/records', '/books%2Fdbt2.…/records'],
    ['/x?key%3Ddbk1.SECRET', '/x?key%3Ddbk1.…'],
    ['/x_dbt1%2ESECRET', '/x_dbt1.…'],
    ['/dbk1%252eSECRET', '/dbk1.…'],
  ])('hides the key in %s', (text, hidden) => {
    expect(hideKeys(text)).toBe(hidden)
  })

  it('hides a secret that begins with another one', () => {
    expect(hideKeys('abcdef', ['abc', 'abcdef'])).toBe('…')
  })
})
