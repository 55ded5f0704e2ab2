// Draws the pictures of the installed inspector: icons from the SVGs, screenshots from the built page with
// its sample.
// Run by hand when one of them changes; commit the output.
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright'
import { build, preview } from 'vite'
import { browserArgs, findBrowser } from './find-browser.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const folder = `${root}demo/public`
const executablePath = await findBrowser()
const browser = await chromium.launch({ ...(executablePath && { executablePath }), args: browserArgs })

async function drawIcons() {
  const page = await browser.newPage()
  for (const { source, size, name } of [
    { source: 'icon', size: 192, name: 'icon-192' },
    { source: 'icon', size: 512, name: 'icon-512' },
    { source: 'icon-maskable', size: 512, name: 'icon-maskable-512' },
  ]) {
    await page.setViewportSize({ width: size, height: size })
    await page.goto(`file://${folder}/${source}.svg`)
    await page.screenshot({ path: `${folder}/${name}.png`, omitBackground: true })
  }
  await page.close()
}

async function drawScreens() {
  /** @type {import('vite').InlineConfig} */
  const common = {
    configFile: `${root}demo/vite.config.ts`,
    logLevel: 'error',
    build: { outDir: `${root}.cache/pictures`, emptyOutDir: true },
  }
  process.env['VITE_EDGE_URL'] = ''
  await build({ ...common, mode: 'production' })
  const server = await preview({ ...common, preview: { host: '127.0.0.1', port: 0, strictPort: false } })
  const page = await browser.newPage({ colorScheme: 'light' })
  await page.goto(server.resolvedUrls?.local[0] ?? '')
  await page.getByRole('button', { name: 'Run the guided sample' }).click()
  await page
    .getByText(/scripted agent stored \d+ traces/)
    .first()
    .waitFor()
  await page.goto(`${server.resolvedUrls?.local[0]}?view=runs`)
  await page.getByRole('table').waitFor()
  await page.getByRole('table').getByRole('button').last().waitFor()
  await page.getByRole('rowheader').first().getByRole('button').click()
  await page.getByRole('listitem').first().waitFor()
  for (const { name, width, height } of [
    { name: 'screen-wide', width: 1280, height: 800 },
    { name: 'screen-narrow', width: 390, height: 844 },
  ]) {
    await page.setViewportSize({ width, height })
    await page.screenshot({ path: `${folder}/${name}.png` })
  }
  await server.close()
}

await drawIcons()
await drawScreens()
await browser.close()
