// Damage of a book's file that leaves few pages: cuts of many sizes, and zeros at many positions.
import { pageBytes } from './broken-file.ts'

type Damage = (file: Uint8Array<ArrayBuffer>) => Uint8Array<ArrayBuffer>

const cutTo =
  (bytes: (size: number) => number): Damage =>
  (file) =>
    file.slice(0, Math.floor(bytes(file.length)))

/** Zeros in `pages` pages from a position on, which is a share of the file. */
const zeros =
  (share: number, pages: number): Damage =>
  (file) => {
    const at = Math.floor((file.length * share) / pageBytes) * pageBytes
    return file.slice().fill(0, at, at + pages * pageBytes)
  }

const share = (part: number) => `${part * 100} %`
const cuts = [0.02, 0.1, 0.3, 0.5, 0.6, 0.75, 0.95].map(
  (part) => [`cut to ${share(part)}`, cutTo((size) => size * part)] as const,
)
const holes = [0, 0.01, 0.05, 0.2, 0.5, 0.6, 0.8, 0.95].flatMap((part) =>
  [1, 64].map((pages) => [`without ${pages} pages at ${share(part)}`, zeros(part, pages)] as const),
)

/** Each with its name. */
export const damages: readonly (readonly [name: string, damage: Damage])[] = [
  ['cut to 100 bytes', cutTo(() => 100)],
  ['cut to one page', cutTo(() => pageBytes)],
  ['cut to two pages', cutTo(() => 2 * pageBytes)],
  ['cut to a part of a page', cutTo(() => 20 * pageBytes + 77)],
  ...cuts,
  ['with only its first page', (file) => file.slice().fill(0, pageBytes)],
  ['with only zeros', (file) => new Uint8Array(file.length)],
  ...holes,
]
