// An image of pages against one plain array of bytes.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { extentBytes, pageBytes, type PageChange } from '../../../../src/core/journal.ts'
import { PageImage } from '../../../../src/hosts/browser/storage/page-image.ts'

type Step =
  { do: 'write'; page: number; pages: number; value: number } | { do: 'cut'; pages: number } | { do: 'take' }

const place = fc.nat(140)
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('write' as const),
      page: place,
      pages: fc.integer({ min: 1, max: 3 }),
      value: fc.integer({ min: 1, max: 255 }),
    }),
  },
  fc.record({ do: fc.constant('cut' as const), pages: place }),
  fc.record({ do: fc.constant('take' as const) }),
)

/** The bytes of an image, read in pieces that are no pages. */
function bytesOf(image: PageImage): Uint8Array {
  const bytes = new Uint8Array(image.sizeBytes)
  for (let at = 0; at < bytes.length; at += 70_001) image.read(bytes.subarray(at, at + 70_001), at)
  return bytes
}

describe('an image of pages', () => {
  it('reads what was written and cut, and its changes make the same image elsewhere', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const image = new PageImage()
        let plain = new Uint8Array()
        const changes: PageChange[] = []
        for (const one of steps) {
          if (one.do === 'take') changes.push(image.take())
          else if (one.do === 'cut') {
            const sizeBytes = Math.min(one.pages * pageBytes, plain.length)
            plain = plain.slice(0, sizeBytes)
            image.truncate(sizeBytes)
          } else {
            const end = (one.page + one.pages) * pageBytes
            const next = new Uint8Array(Math.max(plain.length, end))
            next.set(plain)
            next.fill(one.value, one.page * pageBytes, end)
            plain = next
            image.write(plain.subarray(one.page * pageBytes, end), one.page * pageBytes)
          }
        }
        expect(Buffer.compare(bytesOf(image), plain)).toBe(0)
        changes.push(image.take())
        expect(image.isChanged).toBe(false)
        expect(Buffer.compare(bytesOf(new PageImage(0, [], changes)), plain)).toBe(0)
        const extents = Array.from(
          { length: Math.ceil(plain.length / extentBytes) },
          (_, i) => [i, image.extent(i)] as const,
        )
        expect(Buffer.compare(bytesOf(new PageImage(plain.length, extents)), plain)).toBe(0)
        const filled = extents.filter(([, bytes]) => bytes.some((byte) => byte > 0))
        expect(Buffer.compare(bytesOf(new PageImage(plain.length, filled)), plain)).toBe(0)
      }),
      { numRuns: 200 },
    )
  })

  it('says how much there was to read, and gives zeros for the rest', () => {
    const image = new PageImage()
    image.write(new Uint8Array(pageBytes).fill(7), 0)
    const into = new Uint8Array(2 * pageBytes).fill(1)
    expect(image.read(into, 0)).toBe(pageBytes)
    expect([into[pageBytes - 1], into[pageBytes], into.at(-1)]).toEqual([7, 0, 0])
    expect(image.read(into, 10 * pageBytes)).toBe(0)
  })

  it('counts what was not kept as changed again', () => {
    const image = new PageImage()
    image.write(new Uint8Array(pageBytes).fill(7), pageBytes)
    const first = image.take()
    expect([first.numbers, image.isChanged]).toEqual([[1], false])
    image.giveBack(first.numbers)
    image.write(new Uint8Array(pageBytes).fill(8), 0)
    expect([image.isChanged, image.take().numbers]).toEqual([true, [0, 1]])
  })
})
