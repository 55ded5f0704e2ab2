// The checked-in bytes of the vector kernels are those of their readable sources, and the assembler takes nothing it doesn't know.
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { assembleModule } from '../../../../scripts/build-kernel.mjs'
import { sumModule } from '../../../../src/recall/embed/meaning/sum-module.ts'
import { nearModule } from '../../../../src/store/vector/near-module.ts'
import { scanModule } from '../../../../src/store/vector/scan-module.ts'
import { layout } from '../../../../src/store/vector/vector-kernel.ts'

const read = (name: string) =>
  readFileSync(new URL(`../../../../src/store/vector/${name}.wat`, import.meta.url), 'utf8')
const source = read('scan')

describe.each([
  ['scan', scanModule],
  ['near', nearModule],
])('the vector kernel `%s`', (name, bytes) => {
  test('is what its source assembles to, and every engine takes it', () => {
    expect([...bytes]).toEqual([...assembleModule(read(name))])
    expect(WebAssembly.validate(bytes)).toBe(true)
  })

  test('begins with memory for all that lies before the rows', () => {
    const { memory } = new WebAssembly.Instance(new WebAssembly.Module(bytes)).exports
    expect((memory as WebAssembly.Memory).buffer.byteLength).toBe(Math.ceil(layout.rows / 65_536) * 65_536)
  })
})

test('the kernel `sum` is what its source assembles to, and every engine takes it', () => {
  const file = new URL('../../../../src/recall/embed/meaning/sum.wat', import.meta.url)
  expect([...sumModule]).toEqual([...assembleModule(readFileSync(file, 'utf8'))])
  expect(WebAssembly.validate(sumModule)).toBe(true)
})

describe('the assembler', () => {
  test.each([
    ['i32.add', 'i32.frob', /Unknown instruction: i32.frob/],
    ['local.get $row', 'local.get $rwo', /Unknown name: local.get \$rwo/],
    ['br $rows', 'br $row', /Unknown name: br \$row/],
    ['i32.const 64', 'i32.const', /A number is missing: i32.const/],
    ['v128.load align=1', 'v128.load', /`align=1` is missing: v128.load/],
    ['(local $a v128)', '(local $a f64)', /Unknown type: f64/],
    ['(module', '(component', /A module begins with/],
  ])('is not made of a source in which `%s` reads `%s`', (from, to, fault) => {
    expect(() => assembleModule(source.replace(from, to))).toThrow(fault)
  })
})
