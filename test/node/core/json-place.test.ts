import fc from 'fast-check'
import { expect, it } from 'vitest'
import { jsonErrorPlace } from '../../../src/core/json/json-place.ts'

it.each([
  ['not json', 'line 1, column 1'],
  ['', 'line 1, column 1'],
  ['{"a":1,\n "b":tru}', 'line 2, column 6'],
  ['[1,]', 'line 1, column 4'],
  ['{"a" 1}', 'line 1, column 6'],
  ['[1] 2', 'line 1, column 5'],
  ['{"a":[1', 'line 1, column 8'],
  ['[1}', 'line 1, column 3'],
  ['"open', 'line 1, column 1'],
])('%s stops being JSON at %s', (text, place) => {
  expect(jsonErrorPlace(text)).toBe(place)
})

it('finds a place exactly when JSON.parse refuses', () => {
  const edits = fc.tuple(fc.json(), fc.nat(), fc.constantFrom('', '"', '}', ']', ',', 'x', '\\', '\n', '0'))
  fc.assert(
    fc.property(edits, ([json, at, piece]) => {
      const cut = at % (json.length + 1)
      const text = json.slice(0, cut) + piece + json.slice(cut + 1)
      let parses = true
      try {
        JSON.parse(text)
      } catch {
        parses = false
      }
      expect(jsonErrorPlace(text) === undefined).toBe(parses)
    }),
    { numRuns: 2000 },
  )
})
