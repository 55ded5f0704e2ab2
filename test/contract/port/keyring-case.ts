// The law of `Keyring` as data: a case can run in a worker and be judged outside.
import type { Keyring, Signer } from '../../../src/core/ports.ts'

/** Opens the keyring of a book; opening the same name again is opening the same book again. */
export type OpenKeyring = (book: string) => Keyring

export interface KeyringCase {
  readonly title: string
  /** False for a case that also holds where no private key is kept. */
  readonly signs: boolean
  readonly run: (open: OpenKeyring) => Promise<unknown>
  readonly expected: unknown
}

const text = '{"what":"é, 🙂 and half: \\ud800"}\0 after a zero'

/** RFC 8032, section 7.1, TEST 1 and TEST 2. */
const vectors = [
  {
    key: 'did:key:z6MktwupdmLXVVqTzCw4i46r4uGyosGXRnR3XjN4Zq7oMMsw',
    text: '',
    signature: '5VZDAMNgrHKQhuLMgG6CioSHfx645dl02HPgZSJJAVVfuIIVkKM7rMYeOXAc-bRr0lv18FlbviRlUUFDjnoQCw',
  },
  {
    key: 'did:key:z6MkiaMbhXHNA4eJVCCj8dbzKzTgYDKf6crKgHVHid1F1WCT',
    text: 'r',
    signature: 'kqAJqfDUyrhyDoILX2QlQKKye1QWUD-Ps3YiI-vbadoIWsHkPhWZbkWPNhPQ8R2MOHsurrQwKu6wDSkWErsMAA',
  },
] as const
const [first, second] = vectors

async function signerOf(keys: Keyring): Promise<Signer> {
  const signer = await keys.signer()
  if (!signer) throw new Error('There is no signer here.')
  return signer
}

export const keyringCases: readonly KeyringCase[] = [
  {
    title: 'verifies what others signed (RFC 8032 vectors)',
    signs: false,
    run: (open) => Promise.all(vectors.map((one) => open('a').verify(one.key, one.text, one.signature))),
    expected: [true, true],
  },
  {
    title: 'is false for another text, another key, another signature, and for what is none',
    signs: false,
    run: (open) => {
      const { verify } = open('a')
      return Promise.all([
        verify(second.key, 's', second.signature),
        verify(second.key, '', second.signature),
        verify(first.key, second.text, second.signature),
        verify(second.key, second.text, first.signature),
        verify(second.key, second.text, second.signature.replace('k', 'l')),
        verify(second.key, second.text, second.signature.slice(0, -2)),
        verify(second.key, second.text, `${second.signature}AA`),
        // The last letter stands for two bits only: another one for the same bytes is another text.
        verify(second.key, second.text, `${second.signature.slice(0, -1)}B`),
        verify(second.key, second.text, `${second.signature}==`),
        verify(second.key, second.text, ''),
        verify('', second.text, second.signature),
        verify('did:key:z', second.text, second.signature),
        verify(second.key.replace('z6Mk', 'z7Mk'), second.text, second.signature),
        verify(second.key.slice('did:key:'.length), second.text, second.signature),
        verify(`${second.key}1`, second.text, second.signature),
        verify(`did:key:z6Mk${'z'.repeat(44)}`, second.text, second.signature),
      ])
    },
    expected: Array.from({ length: 16 }, () => false),
  },
  {
    title: 'signs what it then verifies, and nothing else',
    signs: true,
    async run(open) {
      const keys = open('signs')
      const { key, sign } = await signerOf(keys)
      const signature = await sign(text)
      return [
        key.startsWith('did:key:z6Mk'),
        /^[A-Za-z0-9_-]{86}$/.test(signature),
        await keys.verify(key, text, signature),
        await keys.verify(key, `${text} `, signature),
        await open('another').verify(key, text, signature),
        (await sign(text)) === signature,
      ]
    },
    expected: [true, true, true, false, true, true],
  },
  {
    title: 'has one key a book, and keeps it',
    signs: true,
    async run(open) {
      const one = await signerOf(open('keeps'))
      const again = await signerOf(open('keeps'))
      const other = await signerOf(open('other'))
      return [one.key === again.key, one.key === other.key, (await one.sign('x')) === (await again.sign('x'))]
    },
    expected: [true, false, true],
  },
  {
    title: 'makes one key for those who ask at once',
    signs: true,
    async run(open) {
      const keys = open('at-once')
      const signers = await Promise.all([
        signerOf(keys),
        signerOf(keys),
        signerOf(open('at-once')),
        signerOf(open('at-once')),
      ])
      return new Set(signers.map(({ key }) => key)).size
    },
    expected: 1,
  },
]
