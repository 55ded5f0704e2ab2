// Made-up secrets of every form that is known, put together as the tests run: none stands in a file.
import fc from 'fast-check'
import { secretRules } from '../../src/core/secret/secret-rule.ts'
import { base62, extendedKey, withChecksum } from './made-secret.ts'

/** Any of these characters, that many times. */
const run = (alphabet: string, length: number) =>
  fc.string({ unit: fc.constantFrom(...alphabet), minLength: length, maxLength: length })

const json = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

const checked = (prefixes: readonly string[], length: number) =>
  fc
    .tuple(fc.constantFrom(...prefixes), run(base62, length))
    .map(([prefix, body]) => withChecksum(prefix, body))

/** Forms that say more than a regular expression does. */
const special: Readonly<Record<string, fc.Arbitrary<string>>> = {
  'npm-token': checked(['npm_'], 30),
  'wallet-key': fc.nat(10_000).map(extendedKey),
  'vercel-token': checked(['vcp_', 'vck_'], 50),
  'private-key': fc
    .tuple(fc.constantFrom('', 'RSA ', 'EC ', 'OPENSSH ', 'ENCRYPTED '), run(`${base62}+/`, 128))
    .map(([sort, key]) => {
      const lines = (key.match(/.{64}/g) ?? []).join('\n')
      return `-----BEGIN ${sort}PRIVATE KEY-----\n${lines}\n-----END ${sort}PRIVATE KEY-----`
    }),
  jwt: fc
    .tuple(fc.constantFrom('HS256', 'RS256', 'EdDSA'), fc.uuid(), run(`${base62}-_`, 43))
    .map(([alg, sub, signature]) => `${json({ alg, typ: 'JWT' })}.${json({ sub, iat: 1 })}.${signature}`),
}

const github = checked(['ghp_', 'gho_', 'ghu_', 'ghr_'], 30)

/** A secret alone, its rule, and the text that it must stand in to be known (`secret` alone for most). */
export interface SecretSample {
  readonly rule: string
  readonly secret: string
  readonly text: string
}

function sampleOf(at: number): fc.Arbitrary<SecretSample> {
  const rule = secretRules[at]
  if (!rule) throw new Error('There is no such rule.')
  if (rule.id === 'connection-password') {
    return fc
      .tuple(fc.constantFrom('postgres', 'mongodb+srv', 'https', 'amqp'), run(base62, 12))
      .map(([scheme, word]) => {
        const secret = `q${word}`
        return { rule: rule.id, secret, text: `${scheme}://app:${secret}@db.internal:5432/main` }
      })
  }
  const isChecked = rule.begins.includes('ghp_')
  const whole = isChecked
    ? github
    : (special[rule.id] ?? fc.stringMatching(new RegExp(`^${plain(rule.form)}$`)))
  const lead =
    rule.id === 'telegram-bot-token'
      ? run('123456789', 10)
      : rule.id === 'terraform-token'
        ? run(base62, 14)
        : fc.constant('')
  return fc
    .tuple(lead, whole)
    .map(([before, text]) => {
      const secret = new RegExp(rule.form.source).exec(text)?.groups?.['secret'] ?? before + text
      return { rule: rule.id, secret, text: before + text }
    })
    .filter(({ secret }) => rule.holds?.(secret) !== false)
}

/** A form without the name of its group, which generators do not read. */
const plain = (form: RegExp) => form.source.replace('?<secret>', '')

/** A secret of the rule at each place of the table. */
export const secretSamples = secretRules.map((rule, at) => ({
  id: rule.id,
  begins: rule.begins,
  sample: sampleOf(at),
}))

export const anySecret = fc.oneof(...secretSamples.map(({ sample }) => sample))
