// Prepares a fresh clone: installs the locked packages if they are missing or outdated, and with `--browser`
// a Chromium for tests.
// Runs on Node 20 without packages, and does nothing the second time.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { findBrowser } from './find-browser.mjs'
import { nodeBinary, root } from './place.mjs'

/**
 * @param {string} message
 * @returns {never}
 */
function stop(message) {
  console.error(`\n${message}\n`)
  process.exit(1)
}

/**
 * Runs a program to its end and answers whether it succeeded.
 * @param {string} command
 * @param {string[]} args
 * @param {{ env?: Record<string, string>, output?: 'inherit' | 'ignore' }} [options]
 */
function run(command, args, { env, output = 'inherit' } = {}) {
  const stdio = /** @type {const} */ (['ignore', output, output])
  const { status, error } = spawnSync(command, args, {
    cwd: root,
    stdio: [...stdio],
    env: { ...process.env, ...env },
  })
  return status === 0 && !error
}

/** @param {string[]} args */
function npm(...args) {
  const cli = process.env['npm_execpath']
  // An npm that does not know `allowScripts` would let this package fetch its libraries for graphics cards.
  const env = { ONNXRUNTIME_NODE_INSTALL: 'skip' }
  return cli ? run(process.execPath, [cli, ...args], { env }) : run('npm', args, { env })
}

/** @param {string} path @returns {Record<string, { version?: string, integrity?: string, optional?: boolean }>} */
function readLock(path) {
  try {
    return JSON.parse(readFileSync(join(root, path), 'utf8')).packages
  } catch {
    return {}
  }
}

/** The installed packages are the locked ones; optional ones of other platforms may be absent. */
function isInstalled() {
  const installed = readLock('node_modules/.package-lock.json')
  return (
    existsSync(nodeBinary) &&
    Object.entries(readLock('package-lock.json')).every(([path, locked]) => {
      const found = installed[path]
      if (path === '' || (!found && locked.optional)) return true
      return found?.version === locked.version && found?.integrity === locked.integrity
    })
  )
}

function installPackages() {
  if (isInstalled()) return
  console.log('Installing the packages of package-lock.json …')
  if (!npm('ci', '--no-audit', '--no-fund', '--loglevel=error')) stop('npm ci failed; its reason is above.')
  if (!existsSync(nodeBinary)) {
    stop(
      'The packages are here, but their Node 24 is not: install scripts seem to be off (`npm config get ignore-scripts`).',
    )
  }
}

async function installBrowser() {
  if (await findBrowser()) return
  const isRoot = process.getuid?.() === 0
  console.log('No Chromium found; downloading the one of Playwright …')
  const playwright = join(root, 'node_modules/playwright/cli.js')
  if (run(nodeBinary, [playwright, 'install', 'chromium'], { output: 'ignore' }) && isRoot) {
    run(nodeBinary, [playwright, 'install-deps', 'chromium'])
  }
  if (await findBrowser()) return
  if (isRoot && existsSync('/etc/debian_version')) {
    console.log('Playwright could not be reached; installing the one of Debian …')
    const env = { DEBIAN_FRONTEND: 'noninteractive' }
    run('apt-get', ['update', '-qq'], { env })
    run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'chromium'], { env })
  }
  if (await findBrowser()) return
  stop(
    'The tests need a Chromium and none could be found or fetched. Any of these helps:\n' +
      '  npx playwright install --with-deps chromium\n' +
      '  sudo apt-get install chromium            (Debian)\n' +
      '  DAYBOOK_CHROMIUM=/path/to/chrome npm test',
  )
}

if (Number(process.versions.node.split('.')[0]) < 20) {
  stop(`Daybook needs Node 20 or newer; this is ${process.version}.`)
}
try {
  installPackages()
  if (process.argv.includes('--browser')) await installBrowser()
} catch (error) {
  stop(error instanceof Error ? error.message : String(error))
}
