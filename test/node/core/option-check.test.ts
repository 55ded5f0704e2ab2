// Options as tables: every name has a line, and what is no option is told with what was meant.
import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { isDaybookError } from '../../../src/core/errors.ts'
import {
  type OptionCheck,
  flagOption,
  listOption,
  nearName,
  numberOption,
  optionsOf,
  recordOption,
  textOption,
  typedOption,
  variantOption,
  wordOption,
} from '../../../src/core/option-check.ts'

const check = optionsOf<{
  name: string
  durability?: string
  embedder?: object
  sync?: object
}>(
  {
    name: textOption(20),
    durability: wordOption('relaxed', 'strict'),
    embedder: variantOption('provider', {
      none: optionsOf({ provider: textOption() }),
      lsa: optionsOf({ provider: textOption(), weight: numberOption(0, 10) }),
    }),
    sync: optionsOf({
      triggers: typedOption({
        string: wordOption('manual'),
        object: optionsOf({ on_idle: typedOption({ boolean: flagOption }) }),
      }),
      push: listOption(textOption(10)),
      policies: recordOption(wordOption('merge', 'manual')),
    }),
  },
  ['name'],
)

function fault(given: unknown, by: OptionCheck = check) {
  try {
    by(given, '')
  } catch (error) {
    if (isDaybookError(error, 'invalid-input')) return [error.details['path'], error.details['meant']]
    throw error
  }
  return undefined
}

test.each([
  [undefined, '', undefined],
  [null, '', undefined],
  ['b', '', undefined],
  [[], '', undefined],
  [{}, 'name', undefined],
  [{ name: 'b', embeder: {} }, 'embeder', 'embedder'],
  [{ name: 'b', Durability: 'strict' }, 'Durability', 'durability'],
  [{ name: 'b', durability: 'Strict' }, 'durability', 'strict'],
  [{ name: 'b', durability: 'memory' }, 'durability', undefined],
  [{ name: 'b', durability: true }, 'durability', undefined],
  [{ name: 'b', embedder: {} }, 'embedder.provider', undefined],
  [{ name: 'b', embedder: { provider: 'LSA' } }, 'embedder.provider', 'lsa'],
  [{ name: 'b', embedder: { provider: 'lsa', wieght: 1 } }, 'embedder.wieght', 'weight'],
  [{ name: 'b', embedder: { provider: 'none', weight: 1 } }, 'embedder.weight', undefined],
  [{ name: 'b', sync: { triggers: 'manaul' } }, 'sync.triggers', 'manual'],
  [{ name: 'b', sync: { triggers: 1 } }, 'sync.triggers', undefined],
  [{ name: 'b', sync: { triggers: { onIdle: true } } }, 'sync.triggers.onIdle', 'on_idle'],
  [{ name: 'b', sync: { triggers: { on_idle: 'yes' } } }, 'sync.triggers.on_idle', undefined],
  [{ name: 'b', sync: { push: 'traces' } }, 'sync.push', undefined],
  [{ name: 'b', sync: { push: ['trace', 7] } }, 'sync.push.1', undefined],
  [{ name: 'b', sync: { policies: { trace: 'mergee' } } }, 'sync.policies.trace', 'merge'],
  [{ name: 'b', constructor: 1 }, 'constructor', undefined],
  [JSON.parse('{"name":"b","__proto__":1}'), '__proto__', undefined],
] as [unknown, string, string | undefined][])('%j is refused at its place', (given, path, meant) => {
  expect(fault(given)).toEqual([path, meant])
})

test('what is right is taken, and what is undefined is not given', () => {
  const sync = { triggers: { on_idle: true }, push: ['trace'], policies: { trace: 'merge' } }
  const right = { name: 'b', durability: 'strict', embedder: { provider: 'lsa', weight: 1 }, sync }
  expect(fault(right)).toBeUndefined()
  expect(fault({ ...right, embeder: undefined, durability: undefined })).toBeUndefined()
})

describe('the near name', () => {
  const names = ['requestId', 'as', 'signal', 'deadlineMs', 'durability', 'embedder']
  it('is there for every slip of one finger, and never for a name that is right', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...names.filter((name) => name.length > 4)),
        fc.nat(),
        fc.constantFrom('drop', 'double', 'swap', 'case', 'other'),
        (name, seed, slip) => {
          const at = seed % (name.length - 1)
          const head = name.slice(0, at)
          const tail = name.slice(at + 1)
          const slipped = {
            drop: head + tail,
            double: head + name.charAt(at) + name.slice(at),
            swap: head + name.charAt(at + 1) + name.charAt(at) + name.slice(at + 2),
            case: name.toUpperCase(),
            other: `${head}_${name.slice(at)}`,
          }[slip]
          expect(nearName(slipped, names)).toBe(name)
        },
      ),
    )
  })
  it('is none for what is far', () => {
    for (const far of ['', 'x', 'banana', 'x'.repeat(1000), '🙂'])
      expect([far, nearName(far, names)]).toEqual([far, undefined])
  })
})

it('never ends but with `invalid-input`, whatever it is given', () => {
  fc.assert(
    fc.property(fc.anything(), (given) => {
      expect(fault(given) ?? ['', undefined]).toHaveLength(2)
    }),
  )
})
