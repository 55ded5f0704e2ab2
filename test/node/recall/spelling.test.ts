// Misspelt words of a question, also with a typing error in an ending that the stemmer removes.
import { expect, test } from 'vitest'
import type { RecallResult } from '../../../src/core/capability/port/recall-port.ts'
import { correctEndings } from '../../../src/recall/spelling.ts'
import { openTestEngine } from '../../support/test-engine.ts'

test.each([
  ['indentaton', 'indentation'],
  ['attendence', 'attendance'],
  ['agreemnt', 'agreement'],
  ['configuratoins', 'configurations'],
  ['happinesss', 'happiness'],
])('%s may be %s', (slip, meant) => {
  expect(correctEndings(slip)).toContain(meant)
})

test.each(['giraffe', 'breakfast', 'tabs', 'ation', 'Bratislava', '字下げ'])('%s ends in no slip', (word) => {
  expect(correctEndings(word)).toEqual([])
})

test('a word with a slip in its ending finds what it means and says so, and one that is there stays', async () => {
  const { engine } = openTestEngine()
  for (const content of ['Indentation is by tabs', 'The agreement of the tenants ends in May'])
    await engine.call('kstar:store_perception', { content })
  const ask = async (text: string) => (await engine.call('daybook:recall', { text })) as RecallResult
  const [hit, ...more] = (await ask('indentaton')).hits
  expect([hit?.record['content'], more]).toEqual(['Indentation is by tabs', []])
  expect(hit?.because.text?.corrections).toEqual({ indentaton: 'Indentation' })
  expect((await ask('agreement')).hits[0]?.because.text).not.toHaveProperty('corrections')
  expect((await ask('imagination')).hits).toEqual([])
  await engine.close()
})
