// The code a newcomer reads first is run as it stands.
import { expect, it, vi } from 'vitest'
import readme from '../../README.md?raw'

it('the first example of the README does what it says', async () => {
  const code = /```js run\n([\s\S]*?)```/.exec(readme)?.[1] ?? ''
  expect(code.split('\n').filter((line) => line.trim() !== '')).toHaveLength(10)
  const entry = new URL('/src/index.ts', location.origin).href
  const runnable = code
    .replace("from 'daybook'", `from '${entry}'`)
    .replace("'tutor'", `'readme-${crypto.randomUUID()}'`)
  const said = vi.spyOn(console, 'log').mockImplementation(() => undefined)
  await import(/* @vite-ignore */ URL.createObjectURL(new Blob([runnable], { type: 'text/javascript' })))
  const [outcome, because] = said.mock.calls[0] ?? []
  said.mockRestore()
  expect(outcome).toEqual({ score: 85, feedback: 'Good base case' })
  expect(because).toMatchObject({ text: { rank: 1 } })
})
