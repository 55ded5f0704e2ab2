import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { crc32, hasCheckDigit, isCardNumber } from '../../../../src/core/secret/check-digit.ts'
import { findSecrets, maskSecrets } from '../../../../src/core/secret/find-secrets.ts'
import {
  extendedKey,
  oneSecret,
  walletKey,
  withCheckDigit,
  withChecksum,
} from '../../../support/made-secret.ts'
import { anySecret, secretSamples } from '../../../support/secret-sample.ts'

const found = (text: string) =>
  findSecrets(text).map(({ rule, start, end }) => [rule, text.slice(start, end)])

describe('secrets of known form', () => {
  it.each(secretSamples.map(({ id, begins, sample }) => [`${id} (${begins[0]})`, id, sample] as const))(
    'are found anywhere in a text: %s',
    (_title, id, sample) => {
      const around = fc.constantFrom(
        '',
        ' ',
        'key=',
        '"',
        '\n',
        'Authorization: Bearer ',
        String.raw`\n`,
        '%20',
        '(',
      )
      fc.assert(
        fc.property(
          around,
          sample,
          fc.constantFrom('', ' ', '"', '\n', ', then', ')', '&x=1'),
          (a, one, b) => {
            const text = `${a}${one.text}${b}`
            expect(found(text)).toEqual([[id, one.secret]])
          },
        ),
        { numRuns: 40 },
      )
    },
  )

  it('are found in the shortest text that has neither a prefix nor digits', () => {
    const seed = Array.from({ length: 12 }, () => 'cat').join(' ')
    expect(found(seed)).toEqual([['seed-phrase', seed]])
  })

  it('are found in a short text as in the same text before others', () => {
    const piece = fc.oneof(
      fc.constantFrom(
        'password: ',
        'pwd=',
        ' is ',
        'x9!Qz7',
        'GB33',
        ' ',
        '4532',
        '1234',
        '-',
        'cat',
        'seed ',
        '"',
      ),
      fc.string({ unit: 'binary-ascii', maxLength: 12 }),
      anySecret.map(({ text }) => text),
    )
    const short = fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join('').slice(0, 46))
    fc.assert(
      fc.property(short, (text) => {
        expect(found(text)).toEqual(found(`${text}\n${'. '.repeat(30)}`))
      }),
      { numRuns: 1000 },
    )
  })

  it('are found side by side, and each once', () => {
    fc.assert(
      fc.property(fc.array(anySecret, { minLength: 1, maxLength: 6 }), (all) => {
        const text = all.map((one) => one.text).join('\n')
        expect(found(text)).toEqual(all.map(({ rule, secret }) => [rule, secret]))
      }),
    )
  })

  it('are card numbers in groups, and those in one piece that somebody calls one', () => {
    const digits = withCheckDigit('453201511283036')
    const grouped = digits.replaceAll(/(\d{4})(?=\d)/g, '$1 ')
    const amex = withCheckDigit('37828224631000')
    const amexGrouped = `${amex.slice(0, 4)}-${amex.slice(4, 10)}-${amex.slice(10)}`
    expect(found(`paid with ${grouped}, thanks`)).toEqual([['card-number', grouped]])
    expect(found(amexGrouped)).toEqual([['card-number', amexGrouped]])
    expect(found(`the card ${digits} ends in May`)).toEqual([['card-number', digits]])
    expect(found(`order ${digits}`)).toEqual([])
    expect(found(`card ${digits.slice(0, -1)}${(Number(digits.at(-1)) + 1) % 10}`)).toEqual([])
  })

  it('are card numbers with dots between the groups, and no number of a version', () => {
    const dotted = withCheckDigit('453201511283036').replaceAll(/(\d{4})(?=\d)/g, '$1.')
    expect(found(`paid with ${dotted}.`)).toEqual([['card-number', dotted]])
    for (const text of [
      `v${dotted}`,
      `version ${dotted}`,
      `1.${dotted}`,
      `${dotted}.1`,
      dotted.replace('.', ' '),
    ])
      expect(found(text)).toEqual([])
  })

  it('are tokens with a checksum, whatever stands beside them', () => {
    const token = oneSecret()
    for (const text of [`MY_${token}`, `my${token}`, `${token}_old`, `${token}x`, `a_${token}_${token}`])
      expect(found(text).map(([, secret]) => secret)).toEqual(text.match(/ghp_\w{36}/g))
    expect(found(`MY_${token.slice(0, -1)}!`)).toEqual([])
  })

  it('are masked whole, also where a part of one has a form of its own', () => {
    const token = oneSecret()
    for (const password of [`hunter2-${token}`, `hunter2${token}`, `hunter2_${token}_x`])
      expect(found(`password: ${password}`)).toEqual([['password', password]])
    expect(found(`password: ${token}`)).toEqual([['github-token', token]])
  })

  it('are private keys of wallets, by their checksum', () => {
    fc.assert(
      fc.property(
        fc.nat(),
        fc.boolean(),
        fc.constantFrom('', 'wif_', 'key=', 'a '),
        (seed, isShort, lead) => {
          const key = walletKey(seed, isShort)
          expect(found(`${lead}${key} b`)).toEqual([['wallet-key', key]])
          const other = key.slice(0, -1) + (key.endsWith('2') ? '3' : '2')
          expect([...found(`${lead}${other}`), ...found(`x${key}`), ...found(`${key}1`)]).toEqual([])
        },
      ),
    )
    const extended = extendedKey(1)
    expect(found(extended)).toEqual([['wallet-key', extended]])
    expect(found(`${extended.slice(0, -1)}${extended.endsWith('2') ? '3' : '2'}`)).toEqual([])
    const several = [1, 2, 3].map((seed) => walletKey(seed, seed === 2))
    expect(found(several.join('\n'))).toEqual(several.map((key) => ['wallet-key', key]))
  })

  it('have their checksums checked', () => {
    // As published beside the description of the form.
    expect(crc32('hello')).toBe(907_060_870)
    expect(withChecksum('', 'hello')).toBe('hello0zNvy2')
    const token = oneSecret()
    expect(found(token)).toEqual([['github-token', token]])
    expect(found(`${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`)).toEqual([])
    expect(hasCheckDigit('79927398713')).toBe(true)
    expect(isCardNumber('79927398713')).toBe(false)
  })

  it('are masked so that none is left, what is around them stays, and masking again changes nothing', () => {
    const text = fc.array(fc.oneof(fc.string({ unit: 'grapheme' }), anySecret), { maxLength: 8 })
    fc.assert(
      fc.property(text, (parts) => {
        const whole = parts.map((part) => (typeof part === 'string' ? part : part.text)).join(' ')
        const masked = maskSecrets(whole, findSecrets(whole))
        expect(findSecrets(masked)).toEqual([])
        for (const part of parts) if (typeof part !== 'string') expect(masked).not.toContain(part.secret)
      }),
      { numRuns: 300 },
    )
    expect(maskSecrets('a b', findSecrets('a b'))).toBe('a b')
    const token = oneSecret()
    expect(maskSecrets(`use ${token} now`, findSecrets(`use ${token} now`))).toBe(
      `use [secret: github-token …${token.slice(-4)}] now`,
    )
    const address = 'postgres://app:hunter2hunter2@db.internal/main'
    expect(maskSecrets(address, findSecrets(address))).toBe(
      'postgres://app:[secret: connection-password]@db.internal/main',
    )
  })

  it('are looked for in time that grows with the text alone, whatever begins in it', () => {
    const hostile = [
      '-----BEGIN PRIVATE KEY-----\n',
      'eyJ',
      '-eyJ-eyJ',
      'eyJaaaaaaaaaa.eyJaaaaaaaaaa.',
      'https://a:',
      'sk-',
      '://',
      '4111 ',
      '4'.repeat(40),
      'SecretAccessKey',
      'Kw',
      `${'K'.repeat(51)} `,
      `${'K'.repeat(52)}-`,
      'curl -u ',
      'docker login -p ',
      'docker login --password ',
      '4111.',
    ]
    for (const part of hostile)
      expect(findSecrets(part.repeat(Math.ceil(1_000_000 / part.length)))).toEqual([])
    expect(findSecrets('password: hunter2\n'.repeat(50_000))).toHaveLength(50_000)
  })
})
