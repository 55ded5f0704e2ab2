// Finds a Chromium: DAYBOOK_CHROMIUM, else Playwright's own, else a system Chrome or Chromium.
// Imports no package, because set-up uses it first.
import { accessSync, constants, existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

const NAMES = [
  'chromium',
  'chromium-browser',
  'google-chrome-stable',
  'google-chrome',
  'chrome',
  'microsoft-edge',
]
const FIXED = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  ...[process.env['PROGRAMFILES'], process.env['PROGRAMFILES(X86)'], process.env['LOCALAPPDATA']]
    .filter((folder) => folder !== undefined)
    .map((folder) => join(folder, 'Google/Chrome/Application/chrome.exe')),
]

/** @param {string} path */
function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

async function findPlaywrightBrowser() {
  try {
    const { chromium } = await import('playwright')
    const path = chromium.executablePath()
    return existsSync(path) ? path : undefined
  } catch {
    return undefined
  }
}

/** Path of an executable Chromium, or undefined. A wrong DAYBOOK_CHROMIUM is an error, not a hint. */
export async function findBrowser() {
  const chosen = process.env['DAYBOOK_CHROMIUM']
  if (chosen) {
    if (!isExecutable(chosen)) throw new Error(`DAYBOOK_CHROMIUM names ${chosen}, which cannot be executed.`)
    return chosen
  }
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  const system = folders.flatMap((folder) => NAMES.map((name) => join(folder, name)))
  return (await findPlaywrightBrowser()) ?? [...system, ...FIXED].find(isExecutable)
}

/**
 * Chromium's own address bar: two extra pages beside each of ours, which used half a core. Includes what
 * Playwright disables, because Chromium reads only the last of two such lists.
 */
const withoutFeatures = [
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'DialMediaRouteProvider',
  'GlobalMediaControls',
  'HttpsUpgrades',
  'LensOverlay',
  'MediaRouter',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'BlockOriginHeaderModificationOnRedirect',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'Translate',
  'AutoDeElevate',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  'AimEnabled',
]

/** Options for Chromium without a window: root and containers have no sandbox of their own. */
export const browserArgs = [
  `--disable-features=${withoutFeatures.join(',')}`,
  ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
]
