// What looks like a secret and is none: ids, hashes, pictures, addresses, code. Whatever is found here is printed.
import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { findSecrets } from '../../../../src/core/secret/find-secrets.ts'

const many = (count: number, make: (i: number) => string) => Array.from({ length: count }, (_, i) => make(i))
const number = (digits: number) => {
  const text = BigInt(`0x${randomBytes(9).toString('hex')}`).toString()
  return text.slice(0, digits)
}

const base58 = (length: number) =>
  [...randomBytes(length)]
    .map((byte) => '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'.charAt(byte % 58))
    .join('')

const lookAlikes: Readonly<Record<string, readonly string[]>> = {
  uuid: many(3000, () => randomUUID()),
  'git hash': many(3000, (i) => createHash('sha1').update(String(i)).digest('hex')),
  'sha-256': many(3000, (i) => `sha256:${createHash('sha256').update(String(i)).digest('hex')}`),
  'integrity of a package': many(1000, () => `"integrity": "sha512-${randomBytes(64).toString('base64')}"`),
  'id of a record': many(3000, () => `01${randomBytes(12).toString('hex').toUpperCase().slice(0, 24)}`),
  'id of an order': many(5000, () => number(16)),
  'id of a post': many(5000, () => `https://social.example/status/${number(18)}`),
  timestamps: many(2000, () => `${number(13)} ${number(16)} ${Date.now()}000`),
  base58: many(3000, (i) => `${'5KLx'.charAt(i % 4)}${base58(50 + (i % 2))}`),
  'version of a file': many(3000, () => `version ${[1, 2, 3, 4].map(() => `4${number(3)}`).join('.')}`),
  'address of a machine': many(1000, () => [...randomBytes(4)].join('.')),
  'a number in a list': many(2000, () => `[${number(14)}, ${number(15)}, ${number(19)}]`),
  'picture in base64': many(60, () => `data:image/png;base64,${randomBytes(30_000).toString('base64')}`),
  'bytes in base64url': many(300, () => randomBytes(4_000).toString('base64url')),
  'bytes in hex': many(300, () => randomBytes(4_000).toString('hex')),
  telephone: ['+49 30 901820 4711', '+1 (555) 010-9999', '0041 44 668 18 00', '4111-2222'],
  iban: ['DE89 3704 0044 0532 0130 01', 'GB29 NWBK 6016 1331 9268 18', 'XX12 3704 0044 0532 0130 00'],
  address: [
    'http://localhost:8787/v1/books/demo@home',
    'https://user@host.example/path',
    'postgres://app@db.internal:5432/main',
    'git@github.com:org/repo.git',
    'http://[::1]:3000/a@b',
    'mailto:a:b@c.example',
    'https://example.com/a:b@c',
  ],
  placeholder: [
    'postgres://user:password@localhost/db',
    'https://user:pass@example.com',
    'mysql://root:<password>@db/main',
    'redis://default:${REDIS_PASSWORD}@cache',
    'https://x:***@host.example',
    'amqp://guest:xxxx@mq',
    'OPENAI_API_KEY=sk-...',
    'sk-proj-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx',
    'ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx',
    'AKIAIOSFODNN7EXAMPLE',
    'aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
    '-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----',
    '-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEXXXXXXXXXXXXXXXXXXXXXXXXXXXX\n-----END PUBLIC KEY-----',
    '-----BEGIN CERTIFICATE-----\nMIIBszCCAVmgAwIBAgIUXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX\n-----END CERTIFICATE-----',
    'Authorization: Bearer <token>',
  ],
  code: [
    'class="sk-estimator sk-toggleable__content sk-top-container"',
    'import sk_learn; npm_config_registry npm_lifecycle_event hf_hub_download hf_transfer',
    'pip install scikit-learn && pat.match(path) && SG.foo.bar && AC.b',
    'const eyJ = decode(header) + "." + payload',
    'sk-or-v1 sk-ant-api03 glpat- xoxb- whsec_ dapi pypi-',
    'if (x.atlasv1.y) return hvs.length',
    'sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk= v1.0-rc.1 v1.0-beta',
    'AIzaSy is how a key of Google begins',
    'expected 4111111111111111 to be stored as a string',
  ],
}

it('finds none in what only looks like one', () => {
  const wrong = Object.entries(lookAlikes).flatMap(([sort, texts]) =>
    texts.flatMap((text) =>
      findSecrets(text).map(
        ({ rule, start, end }) => `${sort}: ${rule}: ${text.slice(start, end).slice(0, 80)}`,
      ),
    ),
  )
  expect(wrong).toEqual([])
})
