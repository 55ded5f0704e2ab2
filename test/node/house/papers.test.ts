// The papers are true: every path, link and heading that they name is there, and the map has every folder.
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { describe, expect, it } from 'vitest'
import { root } from '../../../scripts/place.mjs'
import { house } from '../../../scripts/walls/wall.mjs'
import { accessKeep } from '../../../src/core/capability/access-log.ts'
import { activityKeep } from '../../../src/core/capability/activity.ts'
import { errorTable } from '../../../src/core/errors.ts'

const read = (path: string) => readFileSync(join(root, path), 'utf8')
const guide = globSync('docs/*.md', { cwd: root }).map((path) => path.replaceAll('\\', '/'))
const beside = globSync(['src/**/*.md', 'test/**/*.md'], { cwd: root }).map((path) =>
  path.replaceAll('\\', '/'),
)
const papers = ['README.md', 'SECURITY.md', ...beside, ...guide]
const isThere = (path: string) => existsSync(join(root, path))
const proseOf = (page: string) => page.replaceAll(/^```[\s\S]*?^```$/gm, '')

/** The anchors of a page, as GitHub and npm make them of its headings. */
function anchorsOf(path: string): string[] {
  return [...proseOf(read(path)).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )
}

describe.each(papers)('%s', (paper) => {
  it('leads to what is there', () => {
    const dead = [...read(paper).matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, link = '']) => link)
      .filter((link) => !/^[a-z]+:/.test(link))
      .filter((link) => {
        const [path = '', anchor] = link.split('#')
        const target = path === '' ? paper : posix.join(dirname(paper), path)
        if (!isThere(target)) return true
        return anchor !== undefined && !anchorsOf(target).includes(anchor)
      })
    expect(dead, `Correct or remove these links in ${paper}.`).toEqual([])
  })

  it('names files and folders that are there', () => {
    const named = [...read(paper).matchAll(/`(?:node )?((?:src|worker|demo|test|scripts|docs)\/[^`\s*]*)`/g)]
    const missing = named.map(([, path = '']) => path).filter((path) => !isThere(path))
    expect(missing, `Correct these paths in ${paper}: they were moved or removed.`).toEqual([])
  })
})

describe('the threat model', () => {
  it('says how long what was asked is kept, as the code does', () => {
    for (const { ms, rows } of [activityKeep, accessKeep])
      expect(
        read('docs/threat-model.md'),
        'Write the limits of `activityKeep` and `accessKeep` into docs/threat-model.md.',
      ).toContain(`${ms / 86_400_000} days, ${rows.toLocaleString('en')} entries`)
  })
})

describe('the README', () => {
  it('is read in two minutes', () => {
    expect(
      read('README.md').split('\n').length - 1,
      'Move a part of README.md into a page of docs/.',
    ).toBeLessThanOrEqual(200)
  })

  it('promises nothing that no test holds', () => {
    const promises = /## Promises\n([\s\S]*?)\n## /.exec(read('README.md'))?.[1] ?? ''
    const bare = promises
      .split(/^- /m)
      .slice(1)
      .filter((promise) => !/\]\(test\/[^)]+\)/.test(promise))
    expect(promises, 'Keep the list below "What it promises" in README.md.').toContain('\n- ')
    expect(bare, 'Link a test (`[…](test/…)`) from each of these promises in README.md.').toEqual([])
  })

  it('says of each package that is installed with it what for, and why this one', () => {
    const { dependencies } = JSON.parse(read('package.json')) as { dependencies: Record<string, string> }
    const rows = read('README.md').matchAll(/^\| `([^`]+)` +\| \S.* \| \S.* \|$/gm)
    const told = new Set([...rows].map(([, name]) => name))
    expect(
      Object.keys(dependencies).filter((name) => !told.has(name)),
      'Add a row for each package to the table of README.md: name, purpose, reason.',
    ).toEqual([])
  })

  it('leads to every page of the guide', () => {
    expect(
      guide.filter((page) => !read('README.md').includes(`](${page})`)),
      'Link these pages from README.md.',
    ).toEqual([])
  })
})

it('the change log has less than 120 lines, and each heading once', () => {
  const lines = read('CHANGELOG.md').split('\n')
  const headings = lines.filter((line) => /^(#|\*\*[^*]+\*\*$)/.test(line))
  expect(
    lines.length,
    'Merge bullets of CHANGELOG.md; after a conflict keep one of the two versions.',
  ).toBeLessThan(120)
  expect(headings, 'CHANGELOG.md has a heading twice.').toEqual([...new Set(headings)])
})

describe('the map', () => {
  /** A folder or file with the folders in it, as the tree of src/README.md has them. */
  const drawn = new Map<string, string[]>()
  const tree = /```\n([\s\S]*?)\n```/.exec(read('src/README.md'))?.[1] ?? ''
  for (const line of tree.split('\n')) {
    const path = /^(\S+)/.exec(line)?.[1]?.replace(/\/$/, '')
    if (path === undefined) {
      const inside = line.trim().split(/\s+/)
      drawn.get([...drawn.keys()].at(-1) ?? '')?.push(...inside.map((folder) => folder.replace(/\/$/, '')))
    } else drawn.set(path, [])
  }
  const everything = new Set(
    [...drawn].flatMap(([path, inside]) => [path, ...inside.map((folder) => `${path}/${folder}`)]),
  )

  it('has every folder of the walls', () => {
    const walled = Object.keys(house)
      .flatMap((key) => (key.endsWith('/*') ? globSync(key, { cwd: root }) : [key]))
      .map((folder) => folder.replaceAll('\\', '/'))
      .filter((folder) => !/\.\w+$/.test(folder) && isThere(folder))
    expect(
      walled.filter((folder) => !everything.has(folder)),
      'Add a line for each folder to the tree of src/README.md.',
    ).toEqual([])
  })

  it.each([...drawn])('knows what is in %s', (path, folders) => {
    const inside = path.endsWith('.ts')
      ? []
      : readdirSync(join(root, path), { withFileTypes: true })
          .filter((entry) => entry.isDirectory() && entry.name !== 'dist')
          .map(({ name }) => name)
          .filter((name) => !drawn.has(`${path}/${name}`))
    expect(isThere(path), `Remove ${path} from the tree of src/README.md, or correct it.`).toBe(true)
    expect(folders.toSorted(), `List the folders in ${path} below it in the tree of src/README.md.`).toEqual(
      inside.toSorted(),
    )
  })
})

describe('the guide', () => {
  it('has every error, and what to do', () => {
    const section = /## When something goes wrong\n([\s\S]*?)\n## /.exec(read('docs/operate.md'))?.[1] ?? ''
    const told = [...section.matchAll(/^\| `([a-z-]+)` +\| (.*?) +\| (.*?) +\| (yes|no) +\|$/gm)]
    expect(
      told.map(([, ...cells]) => cells),
      'Copy the rows of `errorTable` (src/core/errors.ts) into "When something goes wrong" of docs/operate.md, in order.',
    ).toEqual(
      Object.entries(errorTable).map(([code, { meaning, recovery, retry }]) => [
        code,
        meaning,
        recovery,
        retry ? 'yes' : 'no',
      ]),
    )
  })

  it.each(guide)('%s begins with what the reader can do after it, in two sentences', (page) => {
    const opening = read(page).split('\n\n')[1]?.replaceAll('\n', ' ') ?? ''
    expect(opening, `Begin ${page} with two sentences: "After this page you can … . You … ."`).toMatch(
      /^After this page you can [^.]+\. You [^.]+\.$/,
    )
  })
})
