// A new verb: its definition beside the verbs of its namespace, its right, a line of the change log, and a test that
// fails until somebody writes it.
import { changeLine, inserted, NameFault, read, sources } from './file-plan.mjs'

const rightsFile = 'test/contract/access/verb-right.ts'
const opening = /^export const \w+Capabilities = \[$/

/** @param {string} name @returns {import('./file-plan.mjs').Plan} */
export function planVerb(name) {
  const [namespace = '', verb = ''] = name.split('.')
  if (!/^[a-z][A-Za-z]*\.[a-z][A-Za-z]*$/.test(name))
    throw new NameFault(
      `\`${name}\` is not the path of a verb. Write NAMESPACE.VERB in camelCase: inbox.count.`,
    )
  const files = sources()
  const withVerbs = files.filter(
    ({ text }) =>
      /\bdefineCapability,? /.test(text) && text.includes("from 'zod'") && opening.test(firstOpening(text)),
  )
  const taken = files.find(({ text }) => methodsOf(text).includes(name))
  if (taken) throw new NameFault(`\`${name}\` is a verb already: ${taken.path}.`)
  const home = withVerbs.find(({ text }) => methodsOf(text).some((one) => one.startsWith(`${namespace}.`)))
  if (!home) {
    const spaces = new Set(
      withVerbs.flatMap(({ text }) => methodsOf(text)).flatMap((one) => one.match(/^\w+(?=\.)/)?.[0] ?? []),
    )
    throw new NameFault(
      `No verb begins with \`${namespace}.\`. Choose one of ${[...spaces].toSorted().join(', ')}; or write the first verb of a namespace by hand (src/README.md).`,
    )
  }
  const near = home.text.slice(0, home.text.search(new RegExp(`\\bmethods?: \\[?'${namespace}\\.`)))
  const chapter = /id: '([a-z0-9]+):[^']*'(?![\s\S]*id: ')/.exec(near)?.[1] ?? namespace
  const id = `${chapter}:${verb.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`
  if (read(rightsFile).includes(`'${id}':`)) throw new NameFault(`\`${id}\` is the id of another verb.`)
  const before = near.split('\n').findLast((line) => opening.test(line)) ?? firstOpening(home.text)
  const test = `test/node/${home.path.split('/')[1]}/${kebab(namespace)}-${kebab(verb)}.test.ts`
  return {
    changesVerbs: true,
    files: [
      inserted(home.path, (line) => line === before, definition(id, name), { isAfter: true }),
      inserted(rightsFile, (line) => line.startsWith('} as const satisfies'), `  '${id}': 'read',`),
      changeLine(`\`${name}\` (\`${id}\`): fill in what it does.`),
      { path: test, text: testOf(id, name, home.path) },
    ],
    next: `fill in \`${id}\` in ${home.path} (summary, permission, input, output, run) and its line in CHANGELOG.md; replace ${test}. After a change of its definition: npx vitest run --config test/vitest.config.ts --project node-quick --update=all test/node/house/rights-page.test.ts test/node/doors/manifest.test.ts`,
  }
}

/** Paths of the verbs that a file declares. @param {string} text */
const methodsOf = (text) =>
  [...text.matchAll(/\bmethods?: (\[[^\]]*\]|'[^']+')/g)].flatMap(([, list = '']) =>
    [...list.matchAll(/'([^']+)'/g)].map(([, method = '']) => method),
  )

/** @param {string} text */
const firstOpening = (text) => text.split('\n').find((line) => opening.test(line)) ?? ''
/** @param {string} name */
const kebab = (name) => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

/** @param {string} id @param {string} name */
const definition = (id, name) => `  defineCapability({
    id: '${id}',
    permission: 'read',
    methods: ['${name}'],
    summary: 'Fill in: one sentence about ${name}.',
    input: z.strictObject({}),
    output: z.object({}),
    effect: 'read',
    run: () => ({}),
  }),`

/** @param {string} id @param {string} name @param {string} home */
const testOf = (id, name, home) => `import { expect, it } from 'vitest'

it('${name} does what its summary says', () => {
  expect.fail(
    'Fill in \`${id}\` in ${home}, test it in test/contract, and remove this file.',
  )
})
`
