// The laws of folders, tried on made-up trees: a circle is named with the arrows that make it.
import { expect, it } from 'vitest'
import { judgeFolders } from '../../../scripts/walls/folder.mjs'

/** `a/b.ts > c/d.ts` is an import. */
const arrows = (...lines: string[]) =>
  lines.map((line) => {
    const [from = '', to = ''] = line.split(' > ')
    return { from, to }
  })

it('knows no circle where everything looks one way', () => {
  const down = arrows('a/x.ts > a/y.ts', 'a/x.ts > a/b/z.ts', 'a/b/z.ts > a/y.ts', 'a/b/z.ts > c/w.ts')
  expect(judgeFolders(down)).toEqual([])
})

it('tells of two files that import each other', () => {
  expect(judgeFolders(arrows('a/x.ts > a/y.ts', 'a/y.ts > a/x.ts'))).toEqual([
    'a has a circle, x.ts → y.ts → x.ts: move what both sides need below them, or what only one needs into it.\n' +
      '    a/x.ts imports a/y.ts\n' +
      '    a/y.ts imports a/x.ts',
  ])
})

it('takes a sub-folder as one, so that a circle needs no file that is in it twice', () => {
  const [told, ...more] = judgeFolders(
    arrows('a/b/one.ts > a/c/deep/two.ts', 'a/c/three.ts > a/d.ts', 'a/d.ts > a/b/four.ts'),
  )
  expect(more).toEqual([])
  expect(told).toBe(
    'a has a circle, b → c → d.ts → b: move what both sides need below them, or what only one needs into it.\n' +
      '    a/b/one.ts imports a/c/deep/two.ts\n' +
      '    a/c/three.ts imports a/d.ts\n' +
      '    a/d.ts imports a/b/four.ts',
  )
})

it('tells of each circle once, the shortest through its first entry, and of those in the folder of all', () => {
  const told = judgeFolders(
    arrows(
      'a/x.ts > b/y.ts',
      'b/y.ts > a/x.ts',
      'c/1.ts > c/2.ts',
      'c/2.ts > c/3.ts',
      'c/3.ts > c/1.ts',
      'c/2.ts > c/1.ts',
      'c/4.ts > c/1.ts',
      'd/5.ts > d/5.ts',
    ),
  )
  expect(told.map((text) => text.split(':')[0])).toEqual([
    'the root has a circle, a → b → a',
    'c has a circle, 1.ts → 2.ts → 1.ts',
    'c has a circle, 3.ts → 1.ts → 2.ts → 3.ts',
  ])
})
