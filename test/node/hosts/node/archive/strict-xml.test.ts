// The XML of S3: what it says is read, what else XML can do is refused.
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readXml, textOf, type XmlElement } from '../../../../../src/hosts/node/archive/strict-xml.ts'

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
const written = ({ name, text, children }: XmlElement): string =>
  `<${name}>${children.length > 0 ? children.map(written).join('\n ') : escaped(text)}</${name}>`

const name = fc.stringMatching(/^[A-Za-z][A-Za-z0-9]{0,12}$/)
const { tree } = fc.letrec<{ tree: XmlElement }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4 },
    fc.record({ name, text: fc.string({ unit: 'grapheme' }), children: fc.constant([]) }),
    fc.record({
      name,
      text: fc.constant(''),
      children: fc.array(tie('tree'), { minLength: 1, maxLength: 4 }),
    }),
  ),
}))

describe('the XML that S3 answers with', () => {
  it('says what was written, whatever its texts hold', () => {
    fc.assert(
      fc.property(tree, (one) => {
        expect(readXml(`<?xml version="1.0"?>\n${written(one)}\n`)).toEqual(one)
      }),
    )
  })

  it('is whole or nothing: cut anywhere it says nothing', () => {
    fc.assert(
      fc.property(tree, fc.double({ min: 0, max: 1, noNaN: true }), (one, share) => {
        const text = written(one)
        expect(readXml(text.slice(0, Math.floor(share * (text.length - 1))))).toBeUndefined()
      }),
    )
  })

  it('knows empty elements, attributes, namespaces and numbers of characters', () => {
    const root = readXml(
      '\uFEFF<a:R xmlns:a="urn:x" b = \'1\'><Empty/><Key>&#233;&#x1F642;&apos;</Key ></a:R>',
    )
    expect([root?.name, textOf(root, 'Empty'), textOf(root, 'Key')]).toEqual(['R', '', "é🙂'"])
    expect([textOf(root, 'None'), textOf(undefined, 'Key')]).toEqual([undefined, undefined])
  })

  it.each([
    '',
    'text',
    '<a>',
    '<a></b>',
    '<a/><b/>',
    '<a/> more',
    '<a>&unknown;</a>',
    '<a>&amp</a>',
    '<a>&#xD800;</a>',
    '<a>&#1114112;</a>',
    '<!DOCTYPE a><a/>',
    '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>',
    '<a><!-- a comment --></a>',
    '<a><![CDATA[text]]></a>',
    '<a><?php ?></a>',
    '<a b="<"/>',
    '<a b=1/>',
    `${'<a>'.repeat(17)}${'</a>'.repeat(17)}`,
    `<a>${'x'.repeat(4_000_001)}</a>`,
  ])('is nothing else: %.40s', (text) => expect(readXml(text)).toBeUndefined())

  it('takes no longer for what is made to take long', () => {
    for (const piece of ['<a b="', '<a ', '&', "<a\tb='c' ", '<?xml a="b" '])
      expect(readXml(piece.repeat(100_000))).toBeUndefined()
  })
})
