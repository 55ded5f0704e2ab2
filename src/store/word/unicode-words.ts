// Splits a text into words and folds them like the unicode61 tokenizer of FTS5 with remove_diacritics = 2. FTS5 has
// the tables of Unicode 6.1, so this file has them too: a runtime with a newer Unicode must give the same words. A
// test compares every code point with FTS5.

/**
 * Runs of separators and removed marks, in base 36: the distance from the last code point of the run before
 * and, after a dot, the length minus 1.
 */
const separatorRuns =
  '0.1b b.6 r.5 r.1a 2.6 3 2.2 3 4 o w cr.3 d.d 6.6 2 2.3k 6 9 6.1 2 33 3w.7 5t.5 16.1 5 2.1i 18.1 c.4 2.l ' +
  '3.1 18.k b.3 3 2s 2.e 3.6 g.1 2.d 2 2 v.q 2k.a 1n.8 3.3 t.3 2.8 2.2 2.4 3.e r.2 3 3q.q 2.3 1j.2 2.h 2.6 ' +
  'b.3 b h.2 1l 2.6 3.1 3.2 a b.1 f.1 7.1 6.2 1l 2.4 5.1 3.2 4 v.1 4 c.2 1l 2.7 2.2 2.2 l.1 d.1 g.2 1l 2.6 ' +
  '3.1 3.2 9.1 b.1 d i 1o.4 4.2 2.3 a s.7 7.2 1n.6 2.2 2.3 8.1 c.1 s 3.1 1l 2.6 2.2 2.3 8.1 c.1 v.1 1n.6 ' +
  '2.2 2.3 a b.1 m 9.1 1z 5.5 2 2.7 j.2 1p 3.6 5 8.8 b.1 2e 3.5 2.1 c.5 1g.u l.b 1e.m 6.a 2.z 2.e 2.c 29.j ' +
  'c.5 7.3 5.2 2.2 3.6 4.3 e.b 2 b.5 2k gy.b 14.9 2v h9.1 i r.1 27.2 11.2 u.4 s.1 v.1 1t.y 2.3 2 z.e 4b ' +
  '3b.b 5.b 5 4.1 2z.g 8.1 l.x o.4 3.1 1i.9 2.s 3 x.6 2.5 2b.4 1c.g m.y 4.2 v.c 1l.d 9.3 11.j 4.4 1r.1 1t.7 ' +
  '9.o 5 5.2 5o.12 m.3 ce 2.2 c.2 e.2 e.2 e.1 2.2s 6.5 b.4 c.4 i.p n.w g.1 2.3 2.1 b 2.2 6.5 2 2 2 5 c.1 ' +
  '5.4 6.3 2 1t.gz d.12 q.a 2a.25 n.e7 2.38 v.qg 4.9 b0.5 5.2 8.3 2.1 35 f 2p.26 2.b 1x.p 2.2g d.5x r.b 5.4 ' +
  '4.o a.6 6.1 6.2 2i.3 4 2j 45.1 5.9 x.z t.u c.t 9 g.v b.12 g.1q 2.73 535.1r h3l.1i 1k.1 7i.2 2o.f x 29.7 ' +
  '9.m a.1 2w.1 3c 4 5 o.8 b.3 1n.3 9.1 1f.g a.1 h.h 7.2 18.9 o.c c x.3 1c.q h.1 22.d d 9.1 f.3 o.2 2 1h ' +
  '2.2 3.1 6.1 2 t.1 c.6 4.1 6l.a 8pf.1kv 5cv b 3t.f al.1 59.1 3.p 7.6 a.y 2.i 2.3 44 2.e b.6 r.5 r.a 3f.6 ' +
  '2.6 b.6 75.2 1h.8 1m.g 7.b 1h.19 bm 1d w7 5k w 5e.2 2.1 6.3 15.2 5 h.8 13 56.6 xt.2 1i.l 1f.2 1a.h 1r.2 ' +
  '11.d c.3 1p.2 1d.d 5.3 yr.c 2pl.3 ese.19 h.3 j1q.6t b.12 3.50 z.1x 57.2e ob q w q w q w q w q 4kt.1 ' +
  '7j.17 5.2r d.e 3.d 3.e 2.e 1d.u 2.1n 5.16 24.s e.16 6.8 8.1 4v.w g.5 2.1x 4.j d.10 2.4 m.g g.1q 2 2.51 ' +
  '2.3 4.1p 3.3 d.n 44.1x 5.a 1d.1x 1n.37 gwi6 v.2n 3l.6n'

/** Marks that are removed inside a word. Other marks are separators. */
const removedMark = /[\u0300-\u0304\u0306-\u030c\u030f\u0311\u031b\u0323-\u0328\u032d\u032e\u0330\u0331]/

/** Letters that are not folded: their lower case came with a later version than Unicode 6.1. */
const notFolded =
  /[\u037f\u0528-\u052f\u13a0-\u13f5\u1c89-\u1cbf\u2c2f\ua698-\ua69b\ua796-\ua79f\ua7ab-\ua7f6]/
/** Exceptions: letters that FTS5 folds to another letter than `foldLetter` would, each with that letter. */
const specialFolds: ReadonlyMap<string, string> = new Map(
  [
    'İi',
    '\u01e0ǡ',
    '\u01e1ǡ',
    'µμ',
    'ſs',
    'ẛs',
    'ςσ',
    'ϐβ',
    'ϑθ',
    'ϕφ',
    'ϖπ',
    'ϰκ',
    'ϱρ',
    'ϵε',
    '\u1fbeι',
  ].map(([from = '', to = '']) => [from, to]),
)

/** The first and the last code point of each run of separators, alternating. */
const separators = new Uint32Array(
  separatorRuns.split(' ').reduce<number[]>((bounds, run) => {
    const [gap = '', length = '0'] = run.split('.')
    const first = (bounds.at(-1) ?? 0) + Number.parseInt(gap, 36)
    bounds.push(first, first + Number.parseInt(length, 36))
    return bounds
  }, []),
)

/**
 * True for a code point that is no part of a folded word: a separator, or a mark, also one that is removed.
 */
export function isSeparator(code: number): boolean {
  let low = 0
  let high = separators.length / 2
  while (low < high) {
    const middle = (low + high) >> 1
    if (code > (separators[2 * middle + 1] ?? 0)) low = middle + 1
    else high = middle
  }
  return code >= (separators[2 * low] ?? Infinity)
}

const isDeseretCapital = (code: number): boolean => code >= 0x10400 && code < 0x10428

function foldLetter(char: string, code: number): string {
  const folded = specialFolds.get(char)
  if (folded !== undefined) return folded
  if (code > 0xffff ? !isDeseretCapital(code) : notFolded.test(char)) return char
  const lower = char.toLowerCase()
  // Only a Latin letter loses its marks: `é` becomes `e`, but `й` stays.
  const base = lower.normalize('NFD').charAt(0)
  return base >= 'a' && base <= 'z' ? base : lower
}

/** The folded form of `char`: undefined for a separator, empty for a removed mark. */
function folded(char: string, code: number): string | undefined {
  if (code < 128) return /[0-9A-Za-z]/.test(char) ? char.toLowerCase() : undefined
  if (!isSeparator(code)) return foldLetter(char, code)
  return removedMark.test(char) ? '' : undefined
}

/** The words of `text`, in order, in lower case and without the marks that FTS5 removes. */
export function unicodeWords(text: string): string[] {
  const words: string[] = []
  let word = ''
  for (const char of text) {
    const part = folded(char, char.codePointAt(0) ?? 0)
    if (part !== undefined) word += part
    else if (word !== '') {
      words.push(word)
      word = ''
    }
  }
  if (word !== '') words.push(word)
  return words
}
