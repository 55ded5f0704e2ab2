import { describe, expect, it } from 'vitest'
import { kindsWord, kindWord } from '../../../../demo/wording/text-word.ts'

describe('a kind in words', () => {
  it.each([
    ['trace', 'trace', 'traces'],
    ['memory', 'memory', 'memories'],
    ['policy', 'policy', 'policies'],
    ['access_request', 'access request', 'access requests'],
    ['access_key', 'access key', 'access keys'],
  ])('%s', (kind, one, many) => {
    expect([kindWord(kind), kindsWord(kind)]).toEqual([one, many])
  })
})
