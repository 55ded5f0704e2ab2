// Assembles the kernels scan.wat and near.wat in src/store/vector and sum.wat in src/recall/embed/meaning into modules
// beside them. It supports only the part of WebAssembly's text format that a kernel needs: a module with one memory and one
// function, one instruction a line.
// Invariant: an unknown instruction is an error, never a wrong byte.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { format, resolveConfig } from 'prettier'
import { root } from './place.mjs'

const kernels = { scan: 'src/store/vector', near: 'src/store/vector', sum: 'src/recall/embed/meaning' }

/** @type {Record<string, number>} */
const types = { i32: 0x7f, i64: 0x7e, f32: 0x7d, v128: 0x7b }
const prefix = 0xfd
const emptyBlock = 0x40

/** @typedef {'none' | 'block' | 'label' | 'local' | 'constant' | 'memory' | 'lane'} Operand */

/**
 * Opcodes as in the core specification, section 5.4 (https://webassembly.github.io/spec/core/binary/instructions.html).
 * @type {Record<string, [operand: Operand, ...bytes: number[]]>}
 */
const opcodes = {
  block: ['block', 0x02],
  loop: ['block', 0x03],
  if: ['block', 0x04],
  end: ['none', 0x0b],
  br: ['label', 0x0c],
  br_if: ['label', 0x0d],
  'local.get': ['local', 0x20],
  'local.set': ['local', 0x21],
  'local.tee': ['local', 0x22],
  'i64.load': ['memory', 0x29],
  'i32.load': ['memory', 0x28],
  'f32.load': ['memory', 0x2a],
  'i32.load8_u': ['memory', 0x2d],
  'i32.store': ['memory', 0x36],
  'f32.store': ['memory', 0x38],
  'i32.const': ['constant', 0x41],
  'i64.const': ['constant', 0x42],
  'i32.eqz': ['none', 0x45],
  'i32.eq': ['none', 0x46],
  'i32.lt_u': ['none', 0x49],
  'i32.gt_u': ['none', 0x4b],
  'i32.ge_u': ['none', 0x4f],
  'f32.ge': ['none', 0x60],
  'i32.add': ['none', 0x6a],
  'i32.and': ['none', 0x71],
  'i32.shr_u': ['none', 0x76],
  'i64.popcnt': ['none', 0x7b],
  'i64.add': ['none', 0x7c],
  'i64.xor': ['none', 0x85],
  'f32.mul': ['none', 0x94],
  'i32.wrap_i64': ['none', 0xa7],
  'f32.convert_i32_s': ['none', 0xb2],
  'v128.load': ['memory', prefix, 0x00],
  'v128.load8x8_s': ['memory', prefix, 0x01],
  'v128.store': ['memory', prefix, 0x0b],
  'i16x8.splat': ['none', prefix, 0x10],
  'i32x4.splat': ['none', prefix, 0x11],
  'i32x4.extract_lane': ['lane', prefix, 0x1b],
  'i32x4.add': ['none', prefix, 0xae, 0x01],
  'i32x4.dot_i16x8_s': ['none', prefix, 0xba, 0x01],
  'i32x4.extmul_low_i16x8_s': ['none', prefix, 0xbc, 0x01],
  'i32x4.extmul_high_i16x8_s': ['none', prefix, 0xbd, 0x01],
}

/**
 * The bytes of a module: one memory and one function, both exported.
 * @param {string} text
 */
export function assembleModule(text) {
  const lines = text
    .split('\n')
    .map((line) => line.replace(/;;.*$/, '').trim())
    .filter((line) => line !== '')
  const memory = /^\(memory \(export "(\w+)"\) (\d+)\)$/.exec(lines[1] ?? '')
  const head = /^\(func \(export "(\w+)"\)$/.exec(lines[2] ?? '')
  if (lines[0] !== '(module' || !memory || !head)
    throw new Error('A module begins with its memory and function.')
  if (lines.slice(-2).join('') !== '))') throw new Error('The function or the module is not closed.')
  const body = lines.slice(3, -2)
  const params = declared(body, 'param')
  const locals = declared(body, 'local')
  const result = /^\(result (\w+)\)$/.exec(body.find((line) => line.startsWith('(result')) ?? '')
  const names = [...params, ...locals].map(({ name }) => name)
  const code = encodeCode(
    body.filter((line) => !line.startsWith('(')),
    names,
  )
  const whole = [...list(locals.map(({ type }) => [1, type])), ...code, 0x0b]
  return Uint8Array.from([
    0x00,
    0x61,
    0x73,
    0x6d,
    0x01,
    0x00,
    0x00,
    0x00,
    ...section(1, [[0x60, ...list(params.map(({ type }) => [type])), ...list([[typeOf(result?.[1])]])]]),
    ...section(3, [[0]]),
    ...section(5, [[0, ...unsigned(Number(memory[2]))]]),
    ...section(7, [
      [...bytesOf(memory[1] ?? ''), 2, 0],
      [...bytesOf(head[1] ?? ''), 0, 0],
    ]),
    ...section(10, [[...unsigned(whole.length), ...whole]]),
  ])
}

/**
 * @param {readonly string[]} lines
 * @param {'param' | 'local'} section
 */
function declared(lines, section) {
  return lines.flatMap((line) => {
    const found = new RegExp(`^\\(${section} (\\$\\w+) (\\w+)\\)$`).exec(line)
    return found ? [{ name: found[1] ?? '', type: typeOf(found[2]) }] : []
  })
}

/** @param {string | undefined} name */
function typeOf(name) {
  const type = types[name ?? '']
  if (type === undefined) throw new Error(`Unknown type: ${name}`)
  return type
}

/**
 * @param {readonly string[]} lines
 * @param {readonly string[]} locals
 */
function encodeCode(lines, locals) {
  /** Labels of the blocks around an instruction, the innermost last. @type {string[]} */
  const labels = []
  return lines.flatMap((line) => {
    const [name = '', ...operands] = line.split(/\s+/)
    const opcode = opcodes[name]
    if (!opcode) throw new Error(`Unknown instruction: ${line}`)
    const [kind, ...bytes] = opcode
    if (name === 'end') labels.pop()
    if (kind === 'block') labels.push(operands[0] ?? '')
    return [...bytes, ...encodeOperand(kind, operands, { line, locals, labels })]
  })
}

/**
 * @param {Operand} kind
 * @param {readonly string[]} operands
 * @param {{ line: string, locals: readonly string[], labels: readonly string[] }} around
 */
function encodeOperand(kind, operands, { line, locals, labels }) {
  const operand = operands[0] ?? ''
  switch (kind) {
    case 'none':
      return []
    case 'block':
      return [emptyBlock]
    case 'local':
      return unsigned(indexOf(locals, operand, line))
    case 'label':
      return unsigned(indexOf(labels.toReversed(), operand, line))
    case 'memory':
      return encodeMemory(operands, line)
    case 'lane':
      return unsigned(numberOf(operand, line))
    case 'constant':
      return signed(numberOf(operand, line))
  }
}

/**
 * Rows may begin anywhere, so each access declares no alignment.
 * @param {readonly string[]} operands
 * @param {string} line
 */
function encodeMemory(operands, line) {
  if (operands.at(-1) !== 'align=1') throw new Error(`\`align=1\` is missing: ${line}`)
  const offset = operands.length > 1 ? /^offset=(\d+)$/.exec(operands[0] ?? '')?.[1] : '0'
  return [0, ...unsigned(numberOf(offset ?? '', line))]
}

/**
 * @param {readonly string[]} names
 * @param {string} name
 * @param {string} line
 */
function indexOf(names, name, line) {
  const index = names.indexOf(name)
  if (index < 0 || !name.startsWith('$')) throw new Error(`Unknown name: ${line}`)
  return index
}

/**
 * @param {string} text
 * @param {string} line
 */
function numberOf(text, line) {
  if (!/^-?\d+$/.test(text)) throw new Error(`A number is missing: ${line}`)
  return Number(text)
}

/**
 * @param {number} id
 * @param {readonly (readonly number[])[]} items
 */
function section(id, items) {
  const content = list(items)
  return [id, ...unsigned(content.length), ...content]
}

/** @param {readonly (readonly number[])[]} items */
function list(items) {
  return [...unsigned(items.length), ...items.flat()]
}

/** @param {string} name */
function bytesOf(name) {
  return list([...name].map((char) => [char.charCodeAt(0)]))
}

/** LEB128 without sign. @param {number} value */
function unsigned(value) {
  const bytes = []
  let rest = value
  for (; rest > 0x7f; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80)
  return [...bytes, rest]
}

/** LEB128 with sign. @param {number} value */
function signed(value) {
  const bytes = []
  let rest = value
  for (; rest < -64 || rest > 63; rest >>= 7) bytes.push((rest & 0x7f) | 0x80)
  return [...bytes, rest & 0x7f]
}

if (import.meta.main) {
  for (const [name, place] of Object.entries(kernels)) {
    const folder = join(root, place)
    const bytes = assembleModule(readFileSync(join(folder, `${name}.wat`), 'utf8'))
    const file = join(folder, `${name}-module.ts`)
    const text = `// A kernel as bytes of WebAssembly. Made of ${name}.wat by \`node scripts/build-kernel.mjs\`, never by hand.
// Invariant: these are the bytes that ${name}.wat assembles to; a test assembles it again.
export const ${name}Module = new Uint8Array([${[...bytes].join(', ')}])
`
    writeFileSync(file, await format(text, { ...(await resolveConfig(file)), filepath: file }))
  }
}
