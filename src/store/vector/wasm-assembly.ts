// A small assembler: one WebAssembly function, written as flat text instructions, to the bytes of a module.
// Invariant: an instruction that is not in the table is an error here, never a wrong byte in the module.

/** What a module of one function looks like. Names are those of the text; values are `i32`, `f32` or `v128`. */
export interface FunctionText {
  readonly name: string
  readonly params: Readonly<Record<string, ValueType>>
  readonly locals: Readonly<Record<string, ValueType>>
  readonly result: ValueType
  /** One instruction on a line: a name and at most one operand (a local, a constant, a label or an offset). */
  readonly code: string
}

export type ValueType = keyof typeof types
const types = { i32: 0x7f, f32: 0x7d, v128: 0x7b } as const

type Operand = 'none' | 'block' | 'label' | 'local' | 'constant' | 'memory' | 'lane'
const prefix = 0xfd

/** Opcodes as in the core specification, section 5.4 (https://webassembly.github.io/spec/core/binary/instructions.html). */
const opcodes: Readonly<Record<string, readonly [operand: Operand, ...bytes: number[]]>> = {
  block: ['block', 0x02],
  loop: ['block', 0x03],
  if: ['block', 0x04],
  end: ['none', 0x0b],
  br: ['label', 0x0c],
  br_if: ['label', 0x0d],
  'local.get': ['local', 0x20],
  'local.set': ['local', 0x21],
  'local.tee': ['local', 0x22],
  'f32.load': ['memory', 0x2a],
  'i32.load8_u': ['memory', 0x2d],
  'i32.store': ['memory', 0x36],
  'f32.store': ['memory', 0x38],
  'i32.const': ['constant', 0x41],
  'i32.eqz': ['none', 0x45],
  'i32.eq': ['none', 0x46],
  'i32.lt_u': ['none', 0x49],
  'i32.ge_u': ['none', 0x4f],
  'f32.ge': ['none', 0x60],
  'i32.add': ['none', 0x6a],
  'i32.and': ['none', 0x71],
  'i32.shr_u': ['none', 0x76],
  'f32.mul': ['none', 0x94],
  'f32.convert_i32_s': ['none', 0xb2],
  'v128.load': ['memory', prefix, 0x00],
  'v128.load8x8_s': ['memory', prefix, 0x01],
  'i32x4.splat': ['none', prefix, 0x11],
  'i32x4.extract_lane': ['lane', prefix, 0x1b],
  'i32x4.add': ['none', prefix, 0xae, 0x01],
  'i32x4.dot_i16x8_s': ['none', prefix, 0xba, 0x01],
}

/** Assembles a module that exports its `memory` (of `pages` to begin with) and the function. */
export function assembleModule(text: FunctionText, pages: number): Uint8Array<ArrayBuffer> {
  const params = Object.values(text.params).map((type) => types[type])
  const locals = Object.values(text.locals).map((type) => [1, types[type]])
  const names = [...Object.keys(text.params), ...Object.keys(text.locals)]
  const body = text.code
    .split('\n')
    .map((line) => line.replace(/;;.*$/, '').trim())
    .filter((line) => line !== '')
    .flatMap((line) => encodeInstruction(line, names))
  const code = [...list(locals), ...body, 0x0b]
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
    ...section(1, [[0x60, ...list(params.map((type) => [type])), ...list([[types[text.result]]])]]),
    ...section(3, [[0]]),
    ...section(5, [[0, ...unsigned(pages)]]),
    ...section(7, [
      [...bytesOf('memory'), 2, 0],
      [...bytesOf(text.name), 0, 0],
    ]),
    ...section(10, [[...unsigned(code.length), ...code]]),
  ])
}

function encodeInstruction(line: string, names: readonly string[]): number[] {
  const [name = '', operand = ''] = line.split(/\s+/)
  const opcode = opcodes[name]
  if (!opcode) throw new Error(`Unknown instruction: ${line}`)
  const [kind, ...bytes] = opcode
  if (kind === 'none') return bytes
  if (kind === 'block') return [...bytes, 0x40]
  if (kind === 'local') {
    const index = names.indexOf(operand)
    if (index < 0) throw new Error(`Unknown local: ${line}`)
    return [...bytes, ...unsigned(index)]
  }
  const value = Number(operand)
  if (operand === '' || !Number.isInteger(value)) throw new Error(`A number is missing: ${line}`)
  if (kind === 'constant') return [...bytes, ...signed(value)]
  // Alignment is a hint; 0 promises nothing.
  return kind === 'memory' ? [...bytes, 0, ...unsigned(value)] : [...bytes, ...unsigned(value)]
}

function section(id: number, items: readonly (readonly number[])[]): number[] {
  const content = list(items)
  return [id, ...unsigned(content.length), ...content]
}

function list(items: readonly (readonly number[])[]): number[] {
  return [...unsigned(items.length), ...items.flat()]
}

function bytesOf(name: string): number[] {
  return list([...name].map((char) => [char.charCodeAt(0)]))
}

/** LEB128, without and with sign. */
function unsigned(value: number): number[] {
  const bytes: number[] = []
  let rest = value
  for (; rest > 0x7f; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80)
  return [...bytes, rest]
}

function signed(value: number): number[] {
  const bytes: number[] = []
  let rest = value
  for (; rest < -64 || rest > 63; rest >>= 7) bytes.push((rest & 0x7f) | 0x80)
  return [...bytes, rest & 0x7f]
}
