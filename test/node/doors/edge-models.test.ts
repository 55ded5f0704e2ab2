// The errors of an edge with wrong settings of its embedder.
import { expect, it } from 'vitest'
import { edgeEmbedder } from '../../../src/edge/edge-models.ts'

it.each([
  ['a model', { DAYBOOK_EMBED_KEY: 'key' }, '`embedder.model`: Must be the name of a model. '],
  [
    'a key with a space',
    { DAYBOOK_EMBED_KEY: 'a b', DAYBOOK_EMBED_MODEL: 'm' },
    '`embedder.key`: Must consist of letters, digits and . _ ~ + / -. ',
  ],
])('states the whole problem without its remedy: %s', (_name, env, problem) => {
  expect(() => edgeEmbedder(env)).toThrow(`The settings of this edge's embedder are wrong: ${problem}`)
  expect(() => edgeEmbedder(env)).not.toThrow('details.path')
})
