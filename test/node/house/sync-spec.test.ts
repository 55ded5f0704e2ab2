// The specification and the tests belong together: no rule without a test, no number that is not a rule.
import { globSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const root = new URL('../../../', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, root), 'utf8')
const rules = [...read('src/sync/SPEC.md').matchAll(/^- \*\*([A-Z]\d+)\*\* /gm)].map(
  (match) => match[1] ?? '',
)
const files = globSync('test/{contract,node,sim,edge,browser}/**/*.ts', { cwd: root })
const titles = files.flatMap((file) =>
  [
    ...read(file).matchAll(
      /\b(?:describe|it|test)(?:\.(?:each|for)\([\s\S]*?\))?\(\s*['"`]((?:[A-Z]\d+ )+)/g,
    ),
  ].map((match) => ({
    file,
    named: (match[1] ?? '').trim().split(' '),
  })),
)

describe('the specification of sync', () => {
  it('numbers each rule once', () => {
    expect(rules.length, 'Write rules of src/sync/SPEC.md as `- **A1** …`.').toBeGreaterThan(30)
    expect(new Set(rules).size, 'Give each rule of src/sync/SPEC.md a number of its own.').toBe(rules.length)
  })

  it.each(rules)('has a test for %s', (rule) => {
    expect(
      titles.filter(({ named }) => named.includes(rule)).map(({ file }) => file),
      `Write a test whose title begins with "${rule} ".`,
    ).not.toEqual([])
  })

  it('has every rule that a title names', () => {
    expect(
      titles.filter(({ named }) => named.some((name) => !rules.includes(name))),
      'Correct the rule numbers in these titles, or add the rules to src/sync/SPEC.md.',
    ).toEqual([])
  })
})
